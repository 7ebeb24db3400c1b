// Which differences are believed: what may be rounding is approximated, whatever else is a fault.
#include "src/interp/replay.h"
#include "tests/unit/effects/fx_traced.h"
#include "tests/unit/fuzz/found.h"

namespace replay_guard_test {

using namespace noclobber;
using namespace noclobber::found;

namespace {
std::string converted(const std::string& name, const std::string& from, const std::string& dtype) {
  return made(name, "_to_copy.default",
              R"([{"ref":")" + from + R"("}],"kwargs":{"dtype":{"dtype":")" + dtype + R"("}})", dtype);
}
std::string of_one(const std::string& name, const std::string& op, const std::string& of,
                   const std::string& dtype = "f32") {
  return made(name, op + ".default", R"([{"ref":")" + of + R"("}])", dtype);
}
std::string listed(const std::string& steps) {
  return R"("steps":[)" + steps + R"(],"outputs":[{"ref":"a"}])";
}
}  // namespace

TEST_CASE("guard: an operator without kernel in another type is approximated, on other contents refuted") {
  const std::string before = listed(of_one("a", "digamma", "x"));
  const Case wider = pair_of(kX, before,
                             listed(converted("b", "x", "f64") + "," + of_one("c", "digamma", "b", "f64") +
                                    "," + converted("a", "c", "f32")));
  CHECK(status_of(wider) == Status::unknown);
  CHECK(replay(wider, {}).approximated);
  const auto negated = [](const std::string& op) {
    return listed(of_one("c", "clone", "x") + "," + of_one("b", op, "c") + "," + of_one("a", "digamma", "c"));
  };
  CHECK(status_of(pair_of(kX, negated("neg"), negated("neg_"))) == Status::refuted);
}

TEST_CASE("guard: an operator without kernel on a part is approximated") {
  const std::string x = R"({"name":"x","type":{"dtype":"c64","shape":[4]}})";
  const auto part = [](const std::string& name, const std::string& of, const char* type) {
    return R"({"name":")" + name + R"(","op":"aten.slice.Tensor","args":[{"ref":")" + of +
           R"("},0,1,3],"types":[{"dtype":")" + type + R"(","shape":[2]}]})";
  };
  const auto real = [](const std::string& name, const std::string& of, const char* size) {
    return R"({"name":")" + name + R"(","op":"aten.isreal.default","args":[{"ref":")" + of +
           R"("}],"types":[{"dtype":"bool","shape":[)" + size + "]}]}";
  };
  const std::string clone =
      R"({"name":"a","op":"aten.clone.default","args":[{"ref":"b"}],"types":[{"dtype":"bool","shape":[2]}]})";
  const Case pushed = pair_of(x, listed(real("c", "x", "4") + "," + part("b", "c", "bool") + "," + clone),
                              listed(part("b", "x", "c64") + "," + real("a", "b", "2")));
  CHECK(status_of(pushed) == Status::unknown);
  CHECK(replay(pushed, {}).approximated);
}

TEST_CASE(
    "guard: statistics that a hashed normalization writes silently are approximated, a lost write is not") {
  const std::string given = R"(x: "f32[2, 3, 2]", w: "f32[3]", b: "f32[3]", m: "f32[3]", v: "f32[3]")";
  const std::string hidden =
      R"(r: "f32[2, 3, 2]" = torch.ops.aten.batch_norm.default(x, w, b, m, v, True, 0.1, 1e-05, False)
return (r,))";
  const std::string written =
      R"(n = torch.ops.aten._native_batch_norm_legit.default(x, w, b, m, v, True, 0.1, 1e-05)
r: "f32[2, 3, 2]" = n[0]
return (r,))";
  CHECK(testing::fx_status(testing::fx_pair(given, hidden, written)) == Status::unknown);
  CHECK(testing::fx_status(testing::fx_pair(given, written, hidden)) == Status::unknown);
  const std::string lost = R"(k: "f32[3]" = torch.ops.aten.clone.default(m)
)" + hidden.substr(0, hidden.find(", m, v")) +
                           ", k, v" + hidden.substr(hidden.find(", m, v") + 6);
  CHECK(testing::fx_status(testing::fx_pair(given, hidden, hidden)) == Status::proved);
  CHECK(testing::fx_status(testing::fx_pair(given, hidden, lost)) == Status::refuted);
}

}  // namespace replay_guard_test
