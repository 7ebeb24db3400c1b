// Operators whose schema is silent about what they write or share: nothing may be proved about them.
#include "src/certify/nonnegative.h"
#include "src/effects/effects.h"
#include "tests/catch.h"

namespace silent_schema_test {

using namespace noclobber;

namespace {

Case single(const std::string& op, std::vector<Arg> args) {
  Case out;
  Type type;
  type.dtype = Dtype::f32;
  type.shape = {SymExpr(2), SymExpr(2)};
  for (const char* name : {"x", "y"}) {
    Input input;
    input.value = ValueId(out.after.values.size());
    out.after.values.push_back(
        {name, Value::From::input, static_cast<std::uint32_t>(out.after.inputs.size()), 0, type});
    out.after.inputs.push_back(input);
  }
  out.after.values.push_back({"r", Value::From::step, 0, 0, type});
  Step step;
  step.op = op;
  step.args = std::move(args);
  step.results = {ValueId(2)};
  out.after.steps = {step};
  out.after.outputs = {Arg::of(ValueId(2))};
  return out;
}

bool modelled(const Case& value) {
  Space space = searching_space();
  Sizes sizes(space);
  return trace_case(value, *make_op_set(value.ops), sizes).after.unknown.empty();
}

/// Which storage the one output shows, of inputs x, y and what is fresh: 2, 3, or more.
StorageId shown(const Case& value) {
  Space space;
  Sizes sizes(space);
  const Trace trace = trace_case(value, *make_op_set(value.ops), sizes).after;
  REQUIRE(trace.unknown.empty());
  return trace.outputs[0].view->storage;
}

constexpr StorageId kX = 2, kFresh = 4;

}  // namespace

TEST_CASE("an operator that shares storage without saying so shares it, or is not modelled") {
  const Arg x = Arg::of(ValueId(0)), y = Arg::of(ValueId(1));
  CHECK(shown(single("aten.maximum.default", {x, y})) == kFresh);
  CHECK(shown(single("aten.type_as.default", {x, y})) == kX);
  CHECK(shown(single("aten.mm.default", {x, y})) == kFresh);
  CHECK_FALSE(
      modelled(single("aten.einsum.default", {Arg::of_text("ij->ji"), Arg::of(std::vector<Arg>{x})})));
  for (const char* op : {"aten._cast_Float.default", "aten.to_dense.default",
                         "aten.q_per_channel_scales.default", "aten._nested_get_offsets.default"}) {
    INFO(op);
    CHECK_FALSE(modelled(single(op, {x})));
  }
  CHECK(modelled(single("aten.neg.default", {x})));
}

TEST_CASE("an operator that is its argument now and then is so exactly then") {
  const Arg x = Arg::of(ValueId(0)), half = Arg::of_real(0.5), none = Arg::of_real(0);
  CHECK(shown(single("aten.dropout.default", {x, half, Arg::of_bool(false)})) == kX);
  CHECK(shown(single("aten.dropout.default", {x, half, Arg::of_bool(true)})) == kFresh);
  CHECK(shown(single("aten.dropout.default", {x, none, Arg::of_bool(true)})) == kX);
  const auto sized = [](std::int64_t n) {
    return Arg::of(std::vector<Arg>{Arg::of(SymExpr(n)), Arg::of(SymExpr(2))});
  };
  CHECK(shown(single("aten.sum_to_size.default", {x, sized(2)})) == kX);
  CHECK(modelled(single("aten.conj_physical.default", {x})));
  CHECK(shown(single("aten.conj_physical.default", {x})) == kX);
}

TEST_CASE("an operator that writes without saying so writes, or is not modelled") {
  const Arg x = Arg::of(ValueId(0)), y = Arg::of(ValueId(1));
  CHECK(modelled(single("aten.add_.Tensor", {x, y})));
  CHECK_FALSE(modelled(single("inductor.accumulate_grad_.default", {x, y})));
  CHECK_FALSE(modelled(single("aten._copy_from.default", {x, y})));
  CHECK_FALSE(modelled(single("aten._saturate_weight_to_fp16.default", {x})));
  const auto writes = [&](bool training) {
    const Case value =
        single("aten.batch_norm.default", {x, Arg{}, Arg{}, y, y, Arg::of_bool(training), Arg::of_real(0.1),
                                           Arg::of_real(1e-5), Arg::of_bool(false)});
    Space space;
    Sizes sizes(space);
    const Trace trace = trace_case(value, *make_op_set(value.ops), sizes).after;
    REQUIRE(trace.steps.size() == 1);
    return trace.steps[0].writes.size();
  };
  CHECK(writes(true) == 3);
  CHECK(writes(false) == 1);
}

TEST_CASE("an operator that draws random numbers without saying so threads the generator") {
  const auto touches = [](const char* op) {
    const Case value = single(op, {Arg::of(ValueId(0)), Arg::of_real(0), Arg::of_real(1)});
    Space space;
    Sizes sizes(space);
    const Trace trace = trace_case(value, *make_op_set(value.ops), sizes).after;
    REQUIRE(trace.unknown.empty());
    REQUIRE(trace.steps.size() == 1);
    const auto& writes = trace.steps[0].writes;
    return std::any_of(writes.begin(), writes.end(),
                       [](const TraceView& view) { return view.type == "token"; });
  };
  CHECK(touches("aten._no_grad_normal_.default"));
  CHECK(touches("aten._no_grad_uniform_.default"));
  CHECK_FALSE(touches("aten.clamp_.default"));
}

}  // namespace silent_schema_test
