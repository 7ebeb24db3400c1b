#include "src/ops/known_trips.h"

#include <string>

#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace known_trips_test {

using namespace noclobber;

constexpr const char* kNumber = R"("type": {"dtype": "i64", "shape": []})";

std::string op(const std::string& name, const std::string& op, const std::string& args) {
  return R"({"name": ")" + name + R"(", "op": "aten.)" + op + R"(", "args": [)" + args + "]}";
}
std::string ref(const std::string& name) { return R"({"ref": ")" + name + R"("})"; }

/// A body of two numbers i and j.
std::string body(const std::string& steps, const std::string& outputs) {
  return R"({"inputs": [{"name": "i", )" + std::string(kNumber) + R"(}, {"name": "j", )" + kNumber +
         R"(}], "steps": [)" + steps + R"(], "outputs": [)" + outputs + "]}";
}

struct Loop {
  std::string condition = op("c", "lt.Scalar", ref("i") + ", 3"), goes_on = ref("c");
  std::string trip = op("k", "add.Scalar", ref("i") + ", 1"), hands_on = ref("k") + ", " + ref("j");
  std::string start =
      R"({"name": "z", "op": "aten.zeros.default", "args": [[]], "kwargs": {"dtype": {"dtype": "i64"}}})";
  std::string carried = ref("z") + ", " + ref("x");
};

std::optional<std::int64_t> trips(const Loop& loop) {
  const auto value = read_case_json(
      R"({"format": "noclobber.case/1", "name": "t", "graphs": {"c": )" + body(loop.condition, loop.goes_on) +
      R"(, "b": )" + body(loop.trip, loop.hands_on) + R"(}, "after": {"inputs": [{"name": "x", )" + kNumber +
      R"(}], "steps": [)" + loop.start +
      R"(, {"names": ["n", "m"], "op": "higher_order.while_loop", "args": [{"graph": "c"}, {"graph": "b"}, [)" +
      loop.carried + R"(], []]}], "outputs": [{"ref": "m"}]}})");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  const auto ops = make_op_set({});
  REQUIRE(ops);
  return known_trips(*value, *ops, value->after, value->after.steps.back(), 64);
}

TEST_CASE("trips of a counter that starts, steps and ends at constants", "[trips]") {
  CHECK(trips({}) == 3);
  CHECK(trips({.condition = op("c", "le.Scalar", ref("i") + ", 3")}) == 4);
  CHECK(trips({.condition = op("c", "lt.Scalar", ref("i") + ", 0")}) == 0);
  CHECK(trips({.trip = op("k", "add.Scalar", ref("i") + ", 2")}) == 2);
  CHECK(trips({.condition = op("c", "ge.Scalar", ref("i") + ", -4"),
               .trip = op("k", "sub.Tensor", ref("i") + ", 2")}) == 3);
  // what else is carried may go round, as long as the counter does not meet it
  CHECK(trips({.trip = op("k", "add.Scalar", ref("i") + ", 1") + ", " +
                       op("w", "add_.Scalar", ref("j") + ", 1")}) == 3);
}

TEST_CASE("a counter that anything else reaches is not counted", "[trips]") {
  const std::string next = op("k", "add.Scalar", ref("i") + ", 1");
  CHECK(!trips({.carried = ref("x") + ", " + ref("z")}));                           // given
  CHECK(!trips({.condition = op("c", "lt.Tensor", ref("i") + ", " + ref("j"))}));   // an open end
  CHECK(!trips({.condition = op("c", "ge.Scalar", ref("i") + ", 0")}));             // for ever
  CHECK(!trips({.trip = op("k", "add_.Scalar", ref("i") + ", 1")}));                // in place
  CHECK(!trips({.trip = op("w", "add_.Scalar", ref("i") + ", 5") + ", " + next}));  // written before
  CHECK(!trips({.trip = next + ", " + op("w", "add_.Scalar", ref("k") + ", 5")}));  // and behind
  CHECK(!trips({.trip = op("v", "alias.default", ref("i")) + ", " + op("w", "add_.Scalar", ref("v") + ", 5") +
                        ", " + next}));  // through a view
  CHECK(!trips({.trip = next + ", " + op("v", "alias.default", ref("k")) + ", " +
                        op("w", "add_.Scalar", ref("v") + ", 5")}));
  CHECK(!trips({.trip = next + ", " + op("w", "add_.Scalar", ref("j") + ", 5"),
                .hands_on = ref("k") + ", " + ref("k")}));  // two names
  CHECK(!trips({.trip = op("w", "add_.Scalar", ref("j") + ", 5"), .hands_on = ref("j") + ", " + ref("i")}));
  CHECK(!trips({.carried = ref("z") + ", " + ref("z")}));
  const std::string zeros = Loop().start;
  CHECK(!trips(
      {.start = zeros + ", " + op("v", "alias.default", ref("z")), .carried = ref("z") + ", " + ref("v")}));
  CHECK(!trips({.start = zeros + ", " + op("w", "add_.Scalar", ref("z") + ", 1")}));
  CHECK(!trips({.condition = op("w", "add_.Scalar", ref("j") + ", 1") + ", " +
                             op("c", "lt.Scalar", ref("i") + ", 3")}));
  CHECK(!trips(
      {.condition = op("r", "rand_like.default", ref("j")) + ", " + op("c", "lt.Scalar", ref("i") + ", 3")}));
  CHECK(!trips({.start = R"({"name": "z", "op": "aten.zeros.default", "args": [[]]})"}));  // no whole number
  CHECK(!trips(
      {.start =
           R"({"name": "z", "op": "aten.full.default", "args": [[], 0.5], "kwargs": {"dtype": {"dtype": "i64"}}})"}));
  CHECK(!trips({.condition = op("a", "lt.Scalar", ref("i") + ", 3") + ", " +
                             op("c", "add.Scalar", ref("a") + ", 0")}));
  CHECK(!trips({.trip = op("k", "mul.Scalar", ref("i") + ", 1")}));  // for ever
  CHECK(!trips({.trip = op("k", "neg.default", ref("i"))}));         // not known
}

}  // namespace known_trips_test
