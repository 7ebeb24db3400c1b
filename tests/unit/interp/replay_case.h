// Small cases for the tests of replay, one line per step.
#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/case.h"
#include "src/interp/replay.h"

namespace noclobber::testing {

class GraphBuilder {
 public:
  ValueId input(const std::string& name, std::vector<SymExpr> shape, Dtype dtype = Dtype::f32) {
    Value value;
    value.name = name;
    value.at = static_cast<std::uint32_t>(graph.inputs.size());
    value.type = Type{};
    value.type.edit().dtype = dtype;
    value.type.edit().shape = std::move(shape);
    graph.values.push_back(std::move(value));
    Input in;
    in.value = ValueId(graph.values.size() - 1);
    graph.inputs.push_back(in);
    return in.value;
  }
  ValueId step(const std::string& name, const std::string& op, std::vector<Arg> args,
               std::vector<std::pair<std::string, Arg>> kwargs = {}) {
    Value value;
    value.name = name;
    value.from = Value::From::step;
    value.at = static_cast<std::uint32_t>(graph.steps.size());
    graph.values.push_back(std::move(value));
    Step s;
    s.results = {ValueId(graph.values.size() - 1)};
    s.op = op;
    s.args = std::move(args);
    s.kwargs = std::move(kwargs);
    graph.steps.push_back(std::move(s));
    return graph.steps.back().results.front();
  }
  GraphBuilder& type_last(Dtype dtype, std::vector<SymExpr> shape) {
    graph.values.back().type = Type{};
    graph.values.back().type.edit().dtype = dtype;
    graph.values.back().type.edit().shape = std::move(shape);
    return *this;
  }
  Graph returning(const std::vector<ValueId>& values) {
    for (const ValueId value : values) graph.outputs.push_back(Arg::of(value));
    return graph;
  }
  Graph graph;
};

inline Arg ref(ValueId value) { return Arg::of(value); }
inline Arg num(std::int64_t value) { return Arg::of(SymExpr(value)); }
inline Arg sizes(const std::vector<std::int64_t>& values) {
  std::vector<Arg> list;
  for (const std::int64_t value : values) list.push_back(num(value));
  return Arg::of(std::move(list));
}

inline Case pair_of(Graph before, Graph after) {
  Case value;
  value.name = "test";
  value.before = std::move(before);
  value.after = std::move(after);
  return value;
}

inline const Witness* find_rule(const ReplayResult& result, const std::string& rule) {
  const auto at = std::find_if(result.witnesses.begin(), result.witnesses.end(),
                               [&rule](const Witness& w) { return w.rule == rule; });
  return at == result.witnesses.end() ? nullptr : &*at;
}

/// out = [b + 1, cumsum(b)], the addition in place or not, the sum first or last.
inline Graph add_and_sum(bool in_place, bool sum_first) {
  GraphBuilder g;
  const ValueId x = g.input("x", {4});
  const ValueId b = g.step("b", "aten.neg.default", {ref(x)});
  ValueId r, w;
  if (sum_first) r = g.step("r", "aten.cumsum.default", {ref(b), num(0)});
  w = g.step("w", in_place ? "aten.add_.Scalar" : "aten.add.Scalar", {ref(b), num(1)});
  if (!sum_first) r = g.step("r", "aten.cumsum.default", {ref(b), num(0)});
  return g.returning({w, r});
}

/// before: relu(neg x); after: into an empty buffer that is written first, or not at all.
inline Case through_buffer(bool written) {
  GraphBuilder b;
  const ValueId x = b.input("x", {3});
  const Graph before = b.returning({b.step("u", "aten.cumsum.default", {ref(x), num(0)})});
  GraphBuilder a;
  const ValueId y = a.input("x", {3});
  const ValueId buffer = a.step("B", "aten.empty.memory_format", {sizes({3})});
  if (written) a.step("w", "aten.copy_.default", {ref(buffer), ref(y)});
  return pair_of(before, a.returning({a.step("u", "aten.cumsum.default", {ref(buffer), num(0)})}));
}

}  // namespace noclobber::testing
