#include "src/graph/uses.h"

#include "tests/catch.h"

namespace uses_test {

using namespace noclobber;

namespace {

/// x, and three steps: a = f(x); b = g(a, [x, [a]], k=x); c = h()
Graph three_steps() {
  Graph out;
  out.values.resize(4);
  for (std::uint32_t k = 0; k < 4; ++k) out.values[k].name = std::string("xabc").substr(k, 1);
  out.inputs.resize(1);
  out.inputs[0].value = ValueId(0);
  out.steps.resize(3);
  for (std::uint32_t k = 0; k < 3; ++k) {
    out.values[k + 1].from = Value::From::step;
    out.values[k + 1].at = k;
    out.steps[k].results = {ValueId(k + 1)};
    out.steps[k].op = "my.op.default";
  }
  out.steps[0].args = {Arg::of(ValueId(0))};
  const Arg inner = Arg::of(std::vector<Arg>{Arg::of(ValueId(1))});
  out.steps[1].args = {Arg::of(ValueId(1)), Arg::of(std::vector<Arg>{Arg::of(ValueId(0)), inner})};
  out.steps[1].kwargs.edit().emplace_back("k", Arg::of(ValueId(0)));
  return out;
}

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

}  // namespace

TEST_CASE("values are listed where they appear, repeats included", "[graph]") {
  const Graph graph = three_steps();
  CHECK(uses_of(graph.steps[1]) == std::vector<ValueId>{ValueId(1), ValueId(0), ValueId(1), ValueId(0)});
  CHECK(uses_of(graph.steps[2]).empty());
}

TEST_CASE("order edges are results, `after` and streams, nothing else", "[graph]") {
  Graph graph = three_steps();
  CHECK(order_edges(graph) == Edges{{0, 1}, {0, 1}});  // c is free
  graph.steps[2].extras.edit().after = {"b", "nobody"};
  CHECK(order_edges(graph) == Edges{{0, 1}, {0, 1}, {1, 2}});
  graph.steps[2].extras.edit().after.clear();
  graph.steps[1].extras.edit().id = "label";
  graph.steps[0].extras.edit().after = {"label"};
  CHECK(order_edges(graph) == Edges{{1, 0}, {0, 1}, {0, 1}});  // a cycle is the caller's to find
  graph = three_steps();
  graph.steps[0].extras.edit().stream = graph.steps[2].extras.edit().stream = "s";
  CHECK(order_edges(graph) == Edges{{0, 1}, {0, 1}, {0, 2}});
}

}  // namespace uses_test
