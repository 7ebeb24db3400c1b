// Orders, single graphs, symbols and effects.
#include <algorithm>
#include <string>

#include "src/interp/replay.h"
#include "tests/catch.h"
#include "tests/unit/interp/replay_case.h"

namespace replay_orders_test {

using namespace noclobber;

namespace {

using testing::add_and_sum;
using testing::find_rule;
using testing::GraphBuilder;
using testing::num;
using testing::pair_of;
using testing::ref;
using testing::sizes;
using testing::through_buffer;

}  // namespace

namespace {

Case read_and_overwrite(bool ordered) {
  GraphBuilder g;
  const ValueId b = g.input("b", {3});
  const ValueId x = g.input("x", {3});
  const ValueId r = g.step("r", "aten.cumsum.default", {ref(b), num(0)});
  g.step("w", "aten.copy_.default", {ref(b), ref(x)});
  if (ordered) g.graph.steps.back().extras.edit().after = {"r"};
  const Graph graph = g.returning({r});
  Case value = pair_of(graph, graph);
  value.dataflow = true;
  return value;
}

}  // namespace

TEST_CASE("replay: an order that the names allow and that reads too late is an order hazard") {
  const ReplayResult result = replay(read_and_overwrite(false), {});
  const Witness* w = find_rule(result, "NC010");
  REQUIRE(w != nullptr);
  CHECK(w->define->name == "b");
  CHECK(w->define->step == Place::kEntry);
  CHECK(w->clobber->name == "w");
  CHECK(w->read->name == "r");
}

TEST_CASE("replay: an ordering edge removes the hazard") {
  CHECK(replay(read_and_overwrite(true), {}).witnesses.empty());
}

TEST_CASE("replay: without before a name means the value it had") {
  Case value;
  value.after = add_and_sum(true, false);
  value.names_are_values = true;
  const ReplayResult result = replay(value, {});
  const Witness* w = find_rule(result, "NC001");
  REQUIRE(w != nullptr);
  CHECK(w->clobber->name == "w");
  CHECK(w->read->name == "r");
  value.names_are_values = false;
  CHECK(replay(value, {}).witnesses.empty());
  value.names_are_values = true;
  value.after = add_and_sum(true, true);
  CHECK(replay(value, {}).witnesses.empty());
}

TEST_CASE("replay: without before an output of unwritten bytes is an uninitialised read") {
  Case value;
  value.names_are_values = true;
  value.after = through_buffer(false).after;
  CHECK(find_rule(replay(value, {}), "NC002") != nullptr);
  value.after = through_buffer(true).after;
  value.names_are_values = false;
  CHECK(replay(value, {}).witnesses.empty());
}

namespace {

/// before: addmm(c, a, b); after: mm and add, the sum of another operand if `wrong`.
Case decomposed(bool wrong) {
  GraphBuilder b;
  ValueId c = b.input("c", {2, 2}), m = b.input("a", {2, 2}), n = b.input("b", {2, 2});
  const Graph before = b.returning({b.step("r", "aten.addmm.default", {ref(c), ref(m), ref(n)})});
  GraphBuilder a;
  c = a.input("c", {2, 2}), m = a.input("a", {2, 2}), n = a.input("b", {2, 2});
  const ValueId p = a.step("p", "aten.mm.default", {ref(m), ref(n)});
  return pair_of(before, a.returning({a.step("r", "aten.add.Tensor", {ref(p), ref(wrong ? n : c)})}));
}

}  // namespace

TEST_CASE("replay: a decomposed operator is never refuted for rounding, but for plainly other values") {
  CHECK(replay(decomposed(false), {}).witnesses.empty());
  CHECK(find_rule(replay(decomposed(true), {}), "NC004") != nullptr);
}

namespace {

/// What the graph computes is only asked whether it is below a number that it never reaches.
Graph hidden(Graph graph) {
  GraphBuilder g;
  const ValueId sum = graph.outputs[0].ref;
  g.graph = std::move(graph);
  g.graph.outputs.clear();
  return g.returning({g.step("l", "aten.lt.Scalar", {testing::ref(sum), num(1000000000)})});
}

}  // namespace

TEST_CASE("replay: operators of one graph alone are named where no run tells the graphs apart") {
  const Case pair = decomposed(false);
  const ReplayResult result = replay(pair_of(hidden(*pair.before), hidden(pair.after)), {});
  CHECK(result.witnesses.empty());
  CHECK(result.approximated);
  CHECK(result.names == std::vector<std::string>{"aten.add.Tensor", "aten.addmm.default", "aten.mm.default"});
  CHECK_FALSE(replay(pair_of(hidden(*pair.before), hidden(*pair.before)), {}).approximated);
}

namespace {

/// before: x times a tensor that the graph holds; after: x times 2.5.
Case with_constant(Input::Kind kind) {
  GraphBuilder b;
  ValueId x = b.input("x", {3}), held = b.input("held", {});
  b.graph.inputs[1].kind = kind;
  const Graph before = b.returning({b.step("r", "aten.mul.Tensor", {ref(x), ref(held)})});
  GraphBuilder a;
  x = a.input("x", {3}), held = a.input("held", {});
  a.graph.inputs[1].kind = kind;
  const ValueId factor = a.step("f", "aten.full.default", {sizes({}), Arg::of_real(2.5)});
  return pair_of(before, a.returning({a.step("r", "aten.mul.Tensor", {ref(x), ref(factor)})}));
}

}  // namespace

TEST_CASE("replay: a constant that one graph alone reads may be folded, for nobody knows its contents") {
  const ReplayResult folded = replay(with_constant(Input::Kind::constant), {});
  CHECK(folded.witnesses.empty());
  CHECK(folded.names == std::vector<std::string>{"held"});
  CHECK(find_rule(replay(with_constant(Input::Kind::user), {}), "NC004") != nullptr);
}

TEST_CASE("replay: an unknown operator is named and nothing is claimed") {
  GraphBuilder g;
  const ValueId x = g.input("x", {2});
  const Graph graph = g.returning({g.step("r", "nobody.knows.default", {ref(x)})});
  const ReplayResult result = replay(pair_of(graph, graph), {});
  CHECK(result.witnesses.empty());
  CHECK(result.unsupported);
  CHECK(result.names == std::vector<std::string>{"nobody.knows.default"});
}

TEST_CASE("replay: symbols stay in range, keep every relation, and are as small as can be") {
  const auto graph = [](bool in_place) {
    GraphBuilder g;
    const SymExpr n = SymExpr::symbol("n");
    const ValueId x = g.input("x", {SymExpr(2) * n});
    const ValueId b = g.step("b", "aten.neg.default", {ref(x)});
    const ValueId u = g.step("u", "aten.slice.Tensor", {ref(b), num(0), num(0), Arg::of(n + SymExpr(1))});
    const ValueId v = g.step("v", "aten.slice.Tensor", {ref(b), num(0), Arg::of(n), Arg::of(SymExpr(2) * n)});
    const ValueId w = g.step("w", in_place ? "aten.mul_.Scalar" : "aten.mul.Scalar", {ref(u), num(3)});
    return g.returning({w, g.step("r", "aten.cumsum.default", {ref(v), num(0)})});
  };
  Case value = pair_of(graph(false), graph(true));
  value.symbols["n"] = SymbolRange{4, 64, 4, false, std::nullopt};
  value.assume.push_back(*parse_relation("n > 5"));
  ReplayHint hint;
  hint.symbols.push_back({{"n", 32}});
  const ReplayResult result = replay(value, hint);
  const Witness* w = find_rule(result, "NC001");
  REQUIRE(w != nullptr);
  CHECK(w->symbols.at("n") == 8);
}

namespace {

Graph incremented(int times) {
  GraphBuilder g;
  const ValueId n = g.input("n", {2});
  for (int i = 0; i < times; ++i) g.step("w" + std::to_string(i), "aten.add_.Scalar", {ref(n), num(1)});
  return g.returning({});
}

}  // namespace

TEST_CASE("replay: a write executed twice is a repeated write, and twice is right for twice") {
  const ReplayResult result = replay(pair_of(incremented(1), incremented(2)), {});
  const Witness* w = find_rule(result, "NC009");
  REQUIRE(w != nullptr);
  CHECK(w->where == "n at exit");
  CHECK(replay(pair_of(incremented(2), incremented(2)), {}).witnesses.empty());
}

namespace {

/// A declared impure operator, called `times` times on x.
Case observed(int times) {
  const auto graph = [](int count) {
    GraphBuilder g;
    const ValueId x = g.input("x", {2});
    for (int i = 0; i < count; ++i) {
      g.step("o" + std::to_string(i), "zoo.log.default", {ref(x)});
      g.type_last(Dtype::f32, {2});
    }
    return g.returning({});
  };
  Case value = pair_of(graph(1), graph(times));
  OpDecl log;
  log.schema = "zoo::log(Tensor x) -> Tensor";
  log.pure = false;
  value.ops.push_back(log);
  return value;
}

}  // namespace

TEST_CASE("replay: impure steps are neither dropped nor repeated") {
  CHECK(replay(observed(1), {}).witnesses.empty());
  CHECK(find_rule(replay(observed(0), {}), "NC006") != nullptr);
  CHECK(find_rule(replay(observed(2), {}), "NC009") != nullptr);
}

namespace {

/// y = op_(x') on integers: exp2 has no integer result, neg has.
Case integers(const std::string& name) {
  const auto graph = [&name](bool in_place) {
    GraphBuilder g;
    const ValueId x = g.input("x", {3}, Dtype::i32);
    const ValueId h = g.step("h", "aten.neg.default", {ref(x)});
    return g.returning({g.step("r", "aten." + name + (in_place ? "_.default" : ".default"), {ref(h)})});
  };
  return pair_of(graph(false), graph(true));
}

}  // namespace

TEST_CASE("replay: a result of another dtype does not fit its operand's storage") {
  CHECK(find_rule(replay(integers("exp2"), {}), "NC021") != nullptr);
  CHECK(replay(integers("neg"), {}).witnesses.empty());
}

TEST_CASE("replay: inputs in another order are matched by name") {
  const auto graph = [](bool swapped) {
    GraphBuilder g;
    ValueId a, b;
    if (swapped) b = g.input("b", {3});
    a = g.input("a", {3});
    if (!swapped) b = g.input("b", {3});
    return g.returning({g.step("r", "aten.sub.Tensor", {ref(a), ref(b)})});
  };
  CHECK(replay(pair_of(graph(false), graph(true)), {}).witnesses.empty());
}

}  // namespace replay_orders_test
