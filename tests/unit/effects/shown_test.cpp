// Declared views of elements that nobody knows, and conversions that may be their argument.
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace shown_test {

using namespace noclobber;

namespace {

constexpr const char* kFour = R"({"dtype": "f32", "shape": [4], "device": "cpu"})";
constexpr const char* kCloned = R"({"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]})";
constexpr const char* kShown =
    R"({"name": "v", "op": "zoo.view.default", "args": [{"ref": "c"}], "types": [{"dtype": "f32", "shape": [4], "stride": null}]})";

std::string call(const std::string& name, const std::string& op, const std::string& args) {
  return R"({"name": ")" + name + R"(", "op": "aten.)" + op + R"(", "args": [)" + args + "]}";
}
std::string ref(const std::string& name) { return R"({"ref": ")" + name + R"("})"; }

std::string graph_of(const std::vector<std::string>& steps, const std::vector<std::string>& outputs) {
  std::string out = std::string(R"({"inputs": [{"name": "x", "type": )") + kFour + R"(}], "steps": [)";
  for (const std::string& step : steps) out += (step == steps.front() ? "" : ", ") + step;
  out += R"(], "outputs": [)";
  for (const std::string& name : outputs) out += (name == outputs.front() ? "" : ", ") + ref(name);
  return out + "]}";
}

CheckRecord checked(const std::string& before, const std::string& after, const std::string& sharing) {
  const auto value = read_case_json(
      R"j({"format": "noclobber.case/1", "name": "t",
           "ops": [{"schema": "zoo::view(Tensor(a) x) -> Tensor(a)", "result": "view"}], "sharing": ")j" +
      sharing + R"(", "before": )" + before + R"(, "after": )" + after + "}");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  bool contradiction = false;
  const CheckRecord out = check_case(*value, {}, contradiction);
  CHECK_FALSE(contradiction);
  return out;
}

Status status(const std::vector<std::string>& before, const std::vector<std::string>& after,
              const std::vector<std::string>& outputs, const std::string& sharing = "no-growth") {
  return checked(graph_of(before, outputs), graph_of(after, outputs), sharing).status;
}

}  // namespace

TEST_CASE("what an unknown view shows is read before its base is overwritten, or is stale", "[shown]") {
  const std::string read = call("w", "neg.default", ref("v")),
                    grown = call("d", "add.Tensor", ref("c") + ", 1"),
                    stored = call("d", "add_.Tensor", ref("c") + ", 1");
  CHECK(status({kCloned, kShown, read, grown}, {kCloned, kShown, read, stored}, {"w", "d"}) ==
        Status::proved);
  CHECK(status({kCloned, kShown, grown, read}, {kCloned, kShown, stored, read}, {"w", "d"}) ==
        Status::refuted);
  const std::string part = call("s", "slice.Tensor", ref("v") + ", 0, 0, 2"),
                    after_part = call("w", "neg.default", ref("s"));
  CHECK(status({kCloned, kShown, part, after_part, grown}, {kCloned, kShown, part, after_part, stored},
               {"w", "d"}) == Status::proved);
  CHECK(status({kCloned, kShown, part, grown, after_part}, {kCloned, kShown, part, stored, after_part},
               {"w", "d"}) == Status::refuted);
}

TEST_CASE("nobody writes what an unknown view shows, and it is returned only where sharing is free",
          "[shown]") {
  const std::string through = call("w", "add_.Tensor", ref("v") + ", 1"),
                    both = call("w", "add_.Tensor", ref("c") + ", " + ref("v"));
  CHECK(status({kCloned, kShown, through}, {kCloned, kShown, through}, {"c"}) == Status::unknown);
  CHECK(status({kCloned, kShown, both}, {kCloned, kShown, both}, {"c"}) == Status::unknown);
  CHECK(status({kCloned, kShown}, {kCloned, kShown}, {"v"}, "any") == Status::proved);
  CHECK(status({kCloned, kShown}, {kCloned, kShown}, {"v"}) == Status::unknown);
}

TEST_CASE("a conversion that asks for a copy, another type or another device is no view", "[shown]") {
  const std::string kDevice = R"(, {"device": "cpu"}, )", kOther = R"(, {"device": "cuda:0"}, )";
  const auto add = call("r", "add_.Tensor", ref("y") + ", 1");
  const auto pure = call("r", "add.Tensor", ref("x") + ", 1");
  const auto to = [](const std::string& op, const std::string& rest) {
    return call("y", op, ref("x") + rest);
  };
  // x + 1 by a copy of x: x stays.
  const auto copied = [&](const std::string& step) { return status({pure}, {step, add}, {"r"}); };
  CHECK(copied(to("to.dtype", R"(, {"dtype": "f32"}, false, true)")) == Status::proved);
  CHECK(copied(to("to.dtype", R"(, {"dtype": "f32"}, false, false)")) == Status::refuted);
  CHECK(copied(to("to.dtype", R"(, {"dtype": "f32"}, false, true, "contiguous_format")")) == Status::proved);
  CHECK(copied(to("to.dtype", R"(, {"dtype": "f32"}, false, false, "preserve_format")")) == Status::refuted);
  CHECK(copied(to("to.device", kDevice + R"({"dtype": "f32"})")) == Status::refuted);
  const std::string narrow = to("to.device", kOther + R"({"dtype": "f16"})"),
                    plain = call("r", "neg.default", ref("y"));
  CHECK(status({narrow, plain}, {narrow, plain}, {"r"}) == Status::proved);
  const std::string moved = to("to.device", kOther + R"({"dtype": "f32"})");
  CHECK(status({moved, plain}, {moved, plain}, {"r"}) == Status::proved);
}

}  // namespace shown_test
