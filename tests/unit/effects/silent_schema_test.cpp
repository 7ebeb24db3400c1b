// Operators whose schema is silent about what they write or share: nothing may be proved about them.
#include "src/effects/effects.h"
#include "src/prover/nonnegative.h"
#include "tests/catch.h"

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

}  // namespace

TEST_CASE("an operator that may share storage without saying so is not modelled") {
  const Arg x = Arg::of(ValueId(0)), y = Arg::of(ValueId(1));
  CHECK(modelled(single("aten.maximum.default", {x, y})));
  CHECK_FALSE(modelled(single("aten.type_as.default", {x, y})));
  CHECK(modelled(single("aten.mm.default", {x, y})));
  CHECK_FALSE(
      modelled(single("aten.einsum.default", {Arg::of_text("ij->ji"), Arg::of(std::vector<Arg>{x})})));
}

TEST_CASE("an operator that may write without saying so is not modelled") {
  const Arg x = Arg::of(ValueId(0)), y = Arg::of(ValueId(1));
  CHECK(modelled(single("aten.add_.Tensor", {x, y})));
  CHECK_FALSE(modelled(single("inductor.accumulate_grad_.default", {x, y})));
  const std::vector<Arg> norm{
      x, Arg{}, Arg{}, y, y, Arg::of_bool(true), Arg::of_real(0.1), Arg::of_real(1e-5), Arg::of_bool(false)};
  CHECK_FALSE(modelled(single("aten.batch_norm.default", norm)));
}
