// Pairs that were once proved because strides were taken to say, at every size, what they say at most.
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace layout_places_test {

using namespace noclobber;

namespace {

Status verdict(const std::string& inputs, const std::string& before, const std::string& after,
               const std::string& fields = "") {
  const auto graph = [&](const std::string& body) { return R"({"inputs":[)" + inputs + "]," + body + "}"; };
  const auto value = read_case_json(
      R"({"format":"noclobber.case/1","name":"t","symbols":{"s":{"min":0,"max":9},"t":{"min":0,"max":9}},)" +
      fields + R"("before":)" + graph(before) + R"(,"after":)" + graph(after) + "}");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  bool contradiction = false;
  return check_case(*value, CheckOptions{}, contradiction).status;
}

std::string step(const std::string& name, const std::string& op, const std::string& args,
                 const std::string& more = "") {
  return R"({"name":")" + name + R"(","op":"aten.)" + op + R"(","args":)" + args + more + "}";
}

std::string body(const std::string& steps, const std::string& output) {
  return R"("steps":[)" + steps + R"(],"outputs":[{"ref":")" + output + R"("}])";
}

std::string input(const std::string& shape, const std::string& more = "") {
  return R"({"name":"x","type":{"dtype":"f32","shape":)" + shape + more + "}}";
}

const std::string kClone = step("r", "clone.default", R"([{"ref":"x"}])");

}  // namespace

TEST_CASE("as_strided over a last extent that may be 0 is not the transpose", "[effects]") {
  const auto strided = [](const std::string& strides) {
    return body(
        step("v", "as_strided.default", R"([{"ref":"x"},[{"sym":"s"},{"sym":"t"}],)" + strides + "]") + "," +
            step("r", "clone.default", R"([{"ref":"v"}])"),
        "r");
  };
  const std::string x = input(R"(["s","t"])");
  CHECK(verdict(x, body(kClone, "r"), strided(R"([{"sym":"t"},1])")) == Status::proved);
  CHECK(verdict(x, body(kClone, "r"), strided(R"([1,{"sym":"s"}])")) == Status::refuted);
}

TEST_CASE("zero taken no positive number of times loses the sign of -0", "[effects]") {
  const auto minus = [](const std::string& alpha) {
    return body(step("r", "sub.Tensor", R"([{"ref":"x"},0])", R"(,"kwargs":{"alpha":)" + alpha + "}"), "r");
  };
  const std::string x = input("[4]"), whole = R"({"name":"x","type":{"dtype":"i32","shape":[4]}})";
  CHECK(verdict(x, body(kClone, "r"), minus("2")) == Status::proved);
  CHECK(verdict(whole, body(kClone, "r"), minus("-1")) == Status::proved);
  CHECK(verdict(x, body(kClone, "r"), minus("-1")) != Status::proved);
  CHECK(verdict(x, body(kClone, "r"), minus("0")) != Status::proved);
}

TEST_CASE("where an extent may be one, strides do not say that contiguous and reshape copy", "[effects]") {
  const auto made = [](const std::string& op) { return body(step("r", op, R"([{"ref":"x"}])"), "r"); };
  const std::string rows = step("r", "reshape.default", R"([{"ref":"x"},[{"sym":"4*s"}]])");
  const std::string copied =
      step("c", "clone.default", R"([{"ref":"x"}])", R"(,"kwargs":{"memory_format":"contiguous_format"})") +
      "," + step("r", "view.default", R"([{"ref":"c"},[{"sym":"4*s"}]])");
  const std::string open = input(R"(["s",4])", R"(,"stride":[8,1])");
  CHECK(verdict(open, made("clone.default"), made("contiguous.default")) != Status::proved);
  CHECK(verdict(open, body(copied, "r"), body(rows, "r")) != Status::proved);
  const std::string two = input(R"(["s + 2",4])", R"(,"stride":[8,1])");
  CHECK(verdict(two, made("clone.default"), made("contiguous.default")) == Status::proved);
}

TEST_CASE("a clone of a tensor with gaps keeps the order of its dimensions", "[effects]") {
  const std::string x = input("[3,6]", R"(,"stride":[1,8])");
  const auto shown = [](int last) {
    return body(step("c", "clone.default", R"([{"ref":"x"}])") + "," +
                    step("t", "t.default", R"([{"ref":"c"}])") + "," +
                    step("v", "reshape.default", R"([{"ref":"t"},[18]])") + "," +
                    step("w", "fill_.Scalar", R"([{"ref":"c"},)" + std::to_string(last) + "]"),
                "v");
  };
  const std::string filled =
      body(step("r", "full.default", R"([[18],2])", R"(,"kwargs":{"dtype":{"dtype":"f32"}})"), "r");
  CHECK(verdict(x, filled, shown(2)) == Status::proved);  // the reshape is a view of the clone
  CHECK(verdict(x, filled, shown(3)) == Status::refuted);
  const auto ordered = [&](const std::string& format) {
    return body(
        step("r", "clone.default", R"([{"ref":"x"}])", R"(,"kwargs":{"memory_format":")" + format + R"("})"),
        "r");
  };
  const std::string compare = R"("strides":"compare",)";
  CHECK(verdict(x, body(kClone, "r"), ordered("preserve_format"), compare) == Status::proved);
  CHECK(verdict(x, body(kClone, "r"), ordered("contiguous_format"), compare) == Status::refuted);
}

TEST_CASE("a whole number given for a float is that float", "[effects]") {
  const std::string ops =
      R"j("ops":[{"schema":"zoo::s_(Tensor(a!) x, float v=1.0) -> Tensor(a!)","functional":"zoo::s"},)j"
      R"j({"schema":"zoo::s(Tensor x, float v=1.0) -> Tensor"}],)j";
  const auto scaled = [](const std::string& op, const std::string& by) {
    return R"("steps":[{"name":"c","op":"aten.clone.default","args":[{"ref":"x"}]},{"name":"r","op":"zoo.)" +
           op + R"(","args":[{"ref":"c"})" + by +
           R"(],"types":[{"dtype":"f32","shape":[4]}]}],"outputs":[{"ref":"r"}])";
  };
  CHECK(verdict(input("[4]"), scaled("s", ",1"), scaled("s_", ""), ops) == Status::proved);
  CHECK(verdict(input("[4]"), scaled("s", ",2"), scaled("s_", ""), ops) == Status::refuted);
}

TEST_CASE("a body that writes what it may not is told apart from the number it is chosen by", "[effects]") {
  const std::string p = R"(,{"name":"p","type":{"dtype":"bool","shape":[]}})";
  const auto value = read_case_json(
      R"({"format":"noclobber.case/1","name":"t","graphs":{"w":{"inputs":[{"name":"a","type":{"dtype":"f32","shape":[4]}}],)" +
      body(step("r", "neg_.default", R"([{"ref":"a"}])"), "r") +
      R"(},"k":{"inputs":[{"name":"a","type":{"dtype":"f32","shape":[4]}}],"steps":[],"outputs":[{"ref":"a"}]}},)" +
      R"("before":{"inputs":[)" + input("[4]") + p +
      R"(],"steps":[],"outputs":[{"ref":"x"}]},"after":{"inputs":[)" + input("[4]") + p +
      R"(],"steps":[{"name":"r","op":"higher_order.cond","args":[{"ref":"p"},{"graph":"w"},{"graph":"k"},[{"ref":"x"}]],"types":[{"dtype":"f32","shape":[4]}]}],"outputs":[{"ref":"r"}]}})");
  REQUIRE(value);
  bool contradiction = false;
  const CheckRecord record = check_case(*value, CheckOptions{}, contradiction);
  REQUIRE(record.status == Status::refuted);
  bool told = false;
  for (const Finding& finding : record.findings) {
    CHECK(finding.message.find("writes into p") == std::string::npos);
    told = told || finding.message.find("writes into x") != std::string::npos;
  }
  CHECK(told);
}

}  // namespace layout_places_test
