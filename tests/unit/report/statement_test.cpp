#include "src/report/record.h"
#include "tests/catch.h"

namespace statement_test {

using namespace noclobber;

namespace {

ValueId add_value(Graph& graph, const std::string& name) {
  Value value;
  value.name = name;
  graph.values.push_back(value);
  return ValueId(graph.values.size() - 1);
}

Step step_of(std::string op, std::vector<ValueId> results, std::vector<Arg> args) {
  Step step;
  step.op = std::move(op);
  step.results = std::move(results);
  step.args = std::move(args);
  return step;
}

}  // namespace

TEST_CASE("statement: as a reader of FX text knows it", "[report]") {
  Graph graph;
  const ValueId x = add_value(graph, "x"), y = add_value(graph, "y"), z = add_value(graph, "z");
  Arg number = Arg::of(SymExpr(3));
  graph.steps.push_back(step_of("aten.copy_.default", {y}, {Arg::of(x), number, Arg::of_bool(true), Arg()}));
  graph.steps.push_back(step_of("mylib.foo.default", {y, z}, {Arg::of(std::vector<Arg>{Arg::of(x)})}));
  graph.steps.push_back(step_of("aten._assert_async.msg", {}, {Arg::of(x), Arg::of_text("no")}));
  graph.outputs = {Arg::of(y)};
  CHECK(statement_text(graph, 0) == "y = copy_(x, 3, True, None)");
  CHECK(statement_text(graph, 1) == "y, z = mylib.foo([x])");
  CHECK(statement_text(graph, 2) == "_assert_async(x, 'no')");
  CHECK(statement_text(graph, 3) == "return (y,)");
  CHECK(statement_text(graph, 4000000000U) == "return (y,)");
}

TEST_CASE("statement: keywords that place a result are noise, others are not", "[report]") {
  Graph graph;
  const ValueId x = add_value(graph, "x"), y = add_value(graph, "y");
  graph.steps.push_back(step_of("aten.full.default", {y}, {Arg::of(SymExpr(0))}));
  graph.steps[0].kwargs = {{"dtype", Arg::of_dtype(Dtype::i64)}, {"device", Arg::of_device("cpu")}};
  graph.steps.push_back(step_of("aten._to_copy.default", {y}, {Arg::of(x)}));
  graph.steps[1].kwargs = {{"dtype", Arg::of_dtype(Dtype::i64)}, {"layout", Arg::of_text("strided")}};
  CHECK(statement_text(graph, 0) == "y = full(0)");
  CHECK(statement_text(graph, 1) == "y = _to_copy(x, dtype=i64)");
}

TEST_CASE("statement: long lists and broken ids stay short and whole", "[report]") {
  Graph graph;
  const ValueId x = add_value(graph, "x");
  std::vector<Arg> many(1000, Arg::of(x));
  graph.steps.push_back(step_of("aten._foreach_add_.List", {ValueId()}, {Arg::of(many)}));
  Arg deep = Arg::of(x);
  for (int k = 0; k < 1000; ++k) deep = Arg::of(std::vector<Arg>{deep});
  graph.steps.push_back(step_of("aten.f.default", {ValueId(77)}, {deep}));
  CHECK(statement_text(graph, 0) == "_ = _foreach_add_([x, x, x, x, x, x, x, x, … 992 more])");
  CHECK(statement_text(graph, 1).size() < 60);
}

}  // namespace statement_test
