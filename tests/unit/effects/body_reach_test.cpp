// What bodies touch of the storages that they are given, and how what they hand on lies.
#include "src/effects/loops.h"
#include "src/formats/case/case_json.h"
#include "src/graph/bodies.h"
#include "tests/unit/effects/trace_lines.h"

namespace body_reach_test {

using namespace noclobber;
using namespace noclobber::trace_lines;

namespace {

/// A body of inputs x (two elements in a row) and y (two with one between), and what its Trace shows.
BodyFacts facts(Space& space, const std::string& steps, const std::string& output) {
  auto value = read_case_json(
      R"({"format": "noclobber.case/1", "name": "t", "after": {"inputs": [{"name": "x", "type": )"
      R"({"dtype": "f32", "shape": [2]}}, {"name": "y", "type": {"dtype": "f32", "shape": [2], "stride": [2]}}], )"
      R"("steps": [)" +
      steps + R"(], "outputs": [{"ref": ")" + output + R"("}]}})");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  value->sharing_may_grow = true;
  for (std::uint32_t k = 0; k < 2; ++k)  // as a loop's body has them
    value->after.values[value->after.inputs[k].value.index].name = std::to_string(k);
  const auto ops = make_op_set(value->ops);
  Sizes sizes(space);
  const Traced traced = trace_case(*value, *ops, sizes);
  return facts_of(traced.after, traced.reached_after);
}
BodyFacts facts(const std::string& steps, const std::string& output) {
  Space space = searching_space();
  return facts(space, steps, output);
}
std::string strided(const std::string& of, const std::string& more, const std::string& op = "as_strided") {
  return R"({"name": "w", "op": "aten.)" + op + R"(.default", "args": [{"ref": ")" + of + R"("}, )" + more +
         "]}";
}
using Inputs = std::set<std::uint32_t>;

}  // namespace

TEST_CASE("a body that names elements by where they lie reaches beyond its operand", "[loops]") {
  const BodyFacts row = facts(strided("x", "[2], [1]"), "w"), gap = facts(strided("y", "[2], [1]"), "w");
  CHECK(row.whole == Inputs{0});
  CHECK(row.beyond.empty());  // it shows all of what a body of two elements in a row may see
  CHECK(row.from_start.empty());
  CHECK(gap.beyond == Inputs{1});
  CHECK(gap.from_start.empty());
  CHECK(facts(strided("x", "[2], [1], 0"), "w").from_start == Inputs{0});
  CHECK(facts(strided("y", "[1], [1], 1"), "w").beyond == Inputs{1});
  CHECK(facts(strided("y", "[2], [1]", "as_strided_copy"), "w").beyond == Inputs{1});
  const std::string part = R"({"name": "v", "op": "aten.slice.Tensor", "args": [{"ref": "y"}, 0, 1, 2]})";
  CHECK(facts(part, "v").beyond.empty());
  CHECK(facts(part + ", " + strided("v", "[1], [1]"), "w").beyond == Inputs{1});
}

TEST_CASE("how what a body hands on lies", "[loops]") {
  Space space = searching_space();
  const auto lies = [&](const std::string& steps, const std::string& output) {
    return facts(space, steps, output).results.at(0).at(0);
  };
  const auto given = lies("", "y"), made = lies(strided("y", "[2], [1], 1"), "w");
  REQUIRE(given);
  CHECK(given->dtype == Dtype::f32);
  CHECK(space.value(given->offset) == 0);
  CHECK(space.value(given->strides->at(0)) == 2);
  REQUIRE(made);
  CHECK(space.value(made->offset) == 1);
  CHECK(space.value(made->strides->at(0)) == 1);
}

TEST_CASE("operators that show more of a storage than they are given", "[loops]") {
  const auto counts = [](const std::string& op) {
    Step step;
    step.op = op;
    return counts_in_storage(step);
  };
  for (const char* op : {"aten.as_strided.default", "aten.as_strided_.default", "aten._reshape_alias.default",
                         "aten.resize_.default", "aten.set_.source_Tensor"})
    CHECK(counts(op));
  for (const char* op : {"aten.view.default", "aten.slice.Tensor", "aten.offset_.default"})
    CHECK_FALSE(counts(op));
}

}  // namespace body_reach_test
