// Which differences are believed: what may be rounding is approximated, whatever else is a fault.
#include "src/interp/replay.h"
#include "tests/unit/fuzz/found.h"

using namespace noclobber;
using namespace noclobber::found;

namespace {
std::string step(const std::string& name, const std::string& call, const std::string& dtype) {
  return R"({"name":")" + name + R"(","op":"aten.)" + call + R"(,"types":[{"dtype":")" + dtype +
         R"(","shape":[4],"stride":[1]}]})";
}
std::string converted(const std::string& name, const std::string& from, const std::string& dtype) {
  return step(name,
              R"(_to_copy.default","args":[{"ref":")" + from + R"("}],"kwargs":{"dtype":{"dtype":")" + dtype +
                  R"("}})",
              dtype);
}
std::string digamma(const std::string& name, const std::string& of, const std::string& dtype) {
  return step(name, R"(digamma.default","args":[{"ref":")" + of + R"("}])", dtype);
}
std::string listed(const std::string& steps) {
  return R"("steps":[)" + steps + R"(],"outputs":[{"ref":"a"}])";
}
}  // namespace

TEST_CASE("guard: an operator without kernel in another type is approximated, on other contents refuted") {
  const std::string before = listed(digamma("a", "x", "f32"));
  const Case wider = pair_of(
      kX, before,
      listed(converted("b", "x", "f64") + "," + digamma("c", "b", "f64") + "," + converted("a", "c", "f32")));
  CHECK(status_of(wider) == Status::unknown);
  CHECK(replay(wider, {}).approximated);
  const auto negated = [](const std::string& op) {
    return listed(step("c", R"(clone.default","args":[{"ref":"x"}])", "f32") + "," +
                  step("b", op + R"(.default","args":[{"ref":"c"}])", "f32") + "," +
                  digamma("a", "c", "f32"));
  };
  CHECK(status_of(pair_of(kX, negated("neg"), negated("neg_"))) == Status::refuted);
}
