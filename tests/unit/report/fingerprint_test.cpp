#include "src/report/record.h"
#include "tests/catch.h"

namespace fingerprint_test {

using namespace noclobber;

namespace {

/// y = op(x): one value of the given rank.
Graph graph_of(const std::string& op, std::size_t rank, const std::string& name, std::size_t unrelated) {
  Graph graph;
  Type type;
  type.dtype = Dtype::f32;
  type.shape.assign(rank, SymExpr(4));
  for (const std::string& value_name : {std::string("x"), name}) {
    Value value;
    value.name = value_name;
    value.type = type;
    graph.values.push_back(value);
  }
  for (std::size_t k = 0; k < unrelated; ++k) graph.steps.emplace_back().op = "aten.relu.default";
  Step& step = graph.steps.emplace_back();
  step.op = op;
  step.results = {ValueId(1)};
  step.args = {Arg::of(ValueId(0))};
  return graph;
}

std::string print_of(const Graph& graph, std::uint32_t step, const std::string& rule = "NC001",
                     const std::string& pass = "") {
  Finding finding;
  finding.rule = rule;
  finding.pass = pass;
  finding.clobber = FindingPlace{"after", step, "y", "model.py:4", "", ""};
  finding.read = FindingPlace{"after", static_cast<std::uint32_t>(graph.steps.size()), "return", "", "", ""};
  return fingerprint(finding, Graph(), graph);
}

}  // namespace

TEST_CASE("fingerprint: names, step numbers and spellings do not matter", "[report]") {
  const std::string base = print_of(graph_of("aten.add_.Tensor", 2, "y", 0), 0);
  CHECK(base.size() == 16);
  CHECK(base == print_of(graph_of("aten.add_.Tensor", 2, "other", 0), 0));
  CHECK(base == print_of(graph_of("aten.add_.Tensor", 2, "y", 5), 5));
  CHECK(base == print_of(graph_of("aten.add.out", 2, "y", 0), 0));
}

TEST_CASE("fingerprint: rule, pass, operator and rank do", "[report]") {
  const Graph graph = graph_of("aten.add_.Tensor", 2, "y", 0);
  const std::string base = print_of(graph, 0);
  CHECK(base != print_of(graph, 0, "NC005"));
  CHECK(base != print_of(graph, 0, "NC001", "reinplace"));
  CHECK(base != print_of(graph_of("aten.mul_.Tensor", 2, "y", 0), 0));
  CHECK(base != print_of(graph_of("aten.add_.Tensor", 3, "y", 0), 0));
  CHECK(base != print_of(graph, 1));  // the return
}

}  // namespace fingerprint_test
