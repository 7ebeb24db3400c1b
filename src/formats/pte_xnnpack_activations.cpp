// Activations of XNNPACK, in the words of the exported program.
#include "src/formats/pte_case.h"
#include "src/formats/pte_xnnpack_steps.h"

namespace noclobber {

/// An operator that the functional program has in other words: the same ones here.
ValueId xnn_respelled(XnnSteps& p, const char* op, XnnArgs args, const XnnSizes& shape) {
  Step step;
  step.op = op;
  step.args = std::move(args);
  Type type;
  type.dtype = Dtype::f32;
  type.shape.assign(shape.begin(), shape.end());
  p.into.graph.values.push_back({p.into.names.fresh("xnn"), Value::From::step, 0, 0, std::move(type)});
  const ValueId out(p.into.graph.values.size() - 1);
  step.results = {out};
  respell(p.into.graph, step);
  p.into.graph.values[out.index].at = static_cast<std::uint32_t>(p.into.graph.steps.size());
  p.into.graph.steps.push_back(std::move(step));
  return out;
}

void xnn_hardswish(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  p.make(node, xnn_respelled(p, "aten.hardswish.default", {Arg::of(x->value)}, x->shape), x->shape);
}

/// The exact one, without approximation.
void xnn_gelu(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (x) p.make(node, p.emit("aten.gelu.default", {Arg::of(x->value)}), x->shape);
}

void xnn_leaky_relu(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  for (const Step* step : p.meant("aten.leaky_relu")) {
    const Arg* slope = p.argument(*step, "negative_slope");
    if (slope == nullptr ? node.reals[0] == 0.01F : xnn_is(*slope, node.reals[0]))
      return p.make(node, p.like(*step, {Arg::of(x->value)}), x->shape);
  }
  p.make(node, p.emit("aten.leaky_relu.default", {Arg::of(x->value), Arg::of_real(node.reals[0])}), x->shape);
}

void xnn_elu(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  for (const Step* step : p.meant("aten.elu")) {
    const Arg* alpha = p.argument(*step, "alpha");
    const bool plain = step->args.size() <= 2 && step->kwargs.empty();
    if (plain && (alpha == nullptr ? node.reals[0] == 1.0F : xnn_is(*alpha, node.reals[0])))
      return p.make(node, p.like(*step, {Arg::of(x->value)}), x->shape);
  }
  p.make(node, p.emit("aten.elu.default", {Arg::of(x->value), Arg::of_real(node.reals[0])}), x->shape);
}

void xnn_square(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  std::vector<const Step*> all;
  for (const Step& step : p.into.functional.steps) {
    const std::string op = functional_op(step.op);
    if (op == "aten.square.default" ||
        (op == "aten.pow.Tensor_Scalar" && step.args.size() == 2 && xnn_is(step.args[1], 2)))
      all.push_back(&step);
  }
  if (const Step* found = p.one_of("square", all))
    return p.make(node, p.like(*found, {Arg::of(x->value)}), x->shape);
  p.make(node, p.emit("aten.pow.Tensor_Scalar", {Arg::of(x->value), Arg::of(SymExpr(2))}), x->shape);
}

}  // namespace noclobber
