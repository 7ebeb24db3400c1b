#include "src/prover/order.h"

#include "src/certify/nonnegative.h"
#include "src/check/check.h"
#include "src/effects/effects.h"
#include "src/prover/order_advice.h"
#include "src/second/direct_order.h"
#include "tests/catch.h"

namespace order_test {

using namespace noclobber;

namespace {

/// b = neg(x); w = mul_(b or its first half, 3); r = cumsum(its second half), with or without an edge r -> w.
struct Program {
  Case value;
  ValueId add(const std::string& name, std::optional<Type> type = std::nullopt) {
    value.after.values.push_back(
        {name, Value::From::step, static_cast<std::uint32_t>(value.after.steps.size()), 0, type});
    return ValueId(value.after.values.size() - 1);
  }
  ValueId step(const std::string& name, const std::string& op, std::vector<Arg> args) {
    const ValueId id = add(name);
    Step step;
    step.op = op;
    step.args = std::move(args);
    step.results = {id};
    value.after.steps.push_back(std::move(step));
    return id;
  }
};

Program program(std::int64_t written_end, bool edge) {
  Program p;
  p.value.dataflow = true;
  Type type;
  type.dtype = Dtype::f32;
  type.shape = {SymExpr(4)};
  p.value.after.values.push_back({"x", Value::From::input, 0, 0, type});
  Input input;
  input.value = ValueId(0);
  p.value.after.inputs.push_back(input);
  const ValueId b = p.step("b", "aten.neg.default", {Arg::of(ValueId(0))});
  const ValueId low =
      p.step("low", "aten.slice.Tensor",
             {Arg::of(b), Arg::of(SymExpr(0)), Arg::of(SymExpr(0)), Arg::of(SymExpr(written_end))});
  const ValueId high = p.step("high", "aten.slice.Tensor",
                              {Arg::of(b), Arg::of(SymExpr(0)), Arg::of(SymExpr(2)), Arg::of(SymExpr(4))});
  const ValueId r = p.step("r", "aten.cumsum.default", {Arg::of(high), Arg::of(SymExpr(0))});
  p.step("w", "aten.mul_.Scalar", {Arg::of(low), Arg::of(SymExpr(3))});
  if (edge) p.value.after.steps.back().extras.edit().after = {"r"};
  p.value.after.outputs = {Arg::of(r)};
  return p;
}

OrderAnswer ask(const Program& p) {
  Space space = searching_space();
  Sizes sizes(space);
  const auto ops = make_op_set(p.value.ops);
  const Traced traced = trace_case(p.value, *ops, sizes);
  REQUIRE(traced.after.unknown.empty());
  const OrderAnswer out = unordered_conflicts(space, p.value.after, traced.after);
  Questions questions;
  const OrderAnswer directly = unordered_directly(space, traced.after, questions);
  CHECK(directly.known == out.known);
  CHECK(directly.open == out.open);
  return out;
}

}  // namespace

TEST_CASE("the fewest dependences: what follows from others is left out", "[order]") {
  // Three steps that nothing orders; first before second and second before third are enough.
  Program p;
  Type type;
  type.dtype = Dtype::f32;
  type.shape = {SymExpr(4)};
  p.value.after.values.push_back({"x", Value::From::input, 0, 0, type});
  for (const char* name : {"a", "b", "c"}) p.step(name, "aten.neg.default", {Arg::of(ValueId(0))});
  const std::vector<Unordered> open{{0, 1}, {0, 2}, {1, 2}};
  CHECK(least_dependences(p.value.after, open) == std::vector<Unordered>{{0, 1}, {1, 2}});
  CHECK(least_dependences(p.value.after, {{0, 2}}) == std::vector<Unordered>{{0, 2}});
  p.value.after.steps[2].extras.edit().after = {"b"};  // now the third waits for the second
  CHECK(least_dependences(p.value.after, {{0, 1}, {0, 2}}) == std::vector<Unordered>{{0, 1}});
  for (Step& step : p.value.after.steps) step.unit = 1;  // one statement: nothing to order
  CHECK(least_dependences(p.value.after, open).empty());
}

TEST_CASE("with the dependences that are missing every order is right", "[order]") {
  Program p = program(4, false);
  const OrderAnswer answer = ask(p);
  REQUIRE(answer.known);
  REQUIRE_FALSE(answer.open.empty());
  const auto missing = least_dependences(p.value.after, answer.open);
  REQUIRE(missing.size() == 1);
  const Step& first = p.value.after.steps[missing[0].first];
  p.value.after.steps[missing[0].second].extras.edit().after.push_back(
      p.value.after.value(first.results[0]).name);
  CHECK(ask(p).open.empty());
  CHECK(least_dependences(p.value.after, {}).empty());
}

TEST_CASE("a barrier is idle if what it orders is ordered already", "[order]") {
  const auto advice = [](bool joins) {
    // w writes b in place; r reads b's view through a barrier that waits for w, or for its own operand only.
    Program p = program(4, false);
    Graph& graph = p.value.after;
    const ValueId r = graph.steps[3].results[0];
    const ValueId w = p.step("w2", "aten.neg.default", {Arg::of(r)});
    const ValueId y = p.step("y", "aten.alias.default", {Arg::of(graph.steps[1].results[0])});
    graph.steps.back().barrier = true;
    graph.steps.back().unit = 9;
    if (joins) graph.steps.back().extras.edit().after = {"w"};
    p.step("last", "aten.cumsum.default", {Arg::of(y), Arg::of(SymExpr(0))});
    (void)w;
    Space space = searching_space();
    Sizes sizes(space);
    const auto ops = make_op_set(p.value.ops);
    const Traced traced = trace_case(p.value, *ops, sizes);
    return barrier_advice(space, p.value.after, traced.after);
  };
  CHECK(advice(false).barriers == 1);
  CHECK(advice(false).idle.size() == 1);
  CHECK(advice(true).barriers == 1);
  CHECK(advice(true).idle.empty());
}

TEST_CASE("steps that touch one element need an order, others do not") {
  const OrderAnswer disjoint = ask(program(2, false));
  CHECK(disjoint.known);
  CHECK(disjoint.open.empty());
  const OrderAnswer meeting = ask(program(3, false));
  CHECK(meeting.known);
  CHECK(meeting.open == std::vector<Unordered>{{3, 4}});
  CHECK(ask(program(3, true)).open.empty());
}

TEST_CASE("the listed order of one stream counts, that of two streams does not") {
  Program same = program(3, false), two = program(3, false);
  same.value.after.steps[3].extras.edit().stream = same.value.after.steps[4].extras.edit().stream = "s1";
  two.value.after.steps[3].extras.edit().stream = "s1";
  two.value.after.steps[4].extras.edit().stream = "s2";
  CHECK(ask(same).open.empty());
  CHECK(ask(two).open.size() == 1);
}

TEST_CASE("cyclic dependences give no answer") {
  Program p = program(2, false);
  p.value.after.steps[0].extras.edit().after = {"w"};
  CHECK_FALSE(ask(p).known);
}

TEST_CASE("what a caller sees is written before the return, for both engines and nc-check") {
  for (const bool edge : {false, true}) {
    Program p = program(2, true);
    p.value.after.inputs[0].may_write = true;
    p.step("late", "aten.mul_.Scalar", {Arg::of(ValueId(0)), Arg::of(SymExpr(3))});
    p.value.after.steps.back().extras.edit().after = {"b"};
    Step leaves;
    leaves.op = "prims.return.default";
    leaves.args = p.value.after.outputs;
    if (edge) leaves.extras.edit().after = {"late"};
    p.value.after.steps.push_back(leaves);
    CHECK(ask(p).open == (edge ? std::vector<Unordered>{} : std::vector<Unordered>{{5, 6}}));
    bool alarm = false;
    const CheckRecord record = check_case(p.value, {}, alarm);
    CHECK((record.status == Status::proved) == edge);
    CHECK((record.checked_by == std::vector<std::string>{"nc-check"}) == edge);
  }
}

}  // namespace order_test
