// Activations of XNNPACK, spelled as in the exported program.
#include "src/lower/pte/case.h"
#include "src/lower/xnnpack/steps.h"

namespace noclobber {

/// Appends an operator in the spelling that respell() gave it in the functional program.
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
  const auto all = p.meant("aten.hardswish");  // those that were not respelled
  xnn_pointwise(p, node, *x, [&](ValueId value, const XnnSizes& shape) {
    if (!all.empty()) return p.like(*all[0], {Arg::of(value)});
    return xnn_respelled(p, "aten.hardswish.default", {Arg::of(value)}, shape);
  });
}

/// The exact function, without approximation.
void xnn_gelu(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  xnn_pointwise(p, node, *x, [&](ValueId value, const XnnSizes&) {
    return p.emit("aten.gelu.default", {Arg::of(value)});
  });
}

namespace {

/// Copies `found` of the functional program, or emits `op` with the node's number.
void xnn_with_number(XnnSteps& p, const XnnNode& node, const Step* found, const char* op) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  xnn_pointwise(p, node, *x, [&](ValueId value, const XnnSizes&) {
    return found != nullptr ? p.like(*found, {Arg::of(value)})
                            : p.emit(op, {Arg::of(value), Arg::of_real(node.reals[0])});
  });
}

}  // namespace

void xnn_leaky_relu(XnnSteps& p, const XnnNode& node) {
  const Step* found = nullptr;
  for (const Step* step : p.meant("aten.leaky_relu")) {
    const Arg* slope = p.argument(*step, "negative_slope");
    const bool same = slope == nullptr ? node.reals[0] == 0.01F : xnn_is(*slope, node.reals[0]);
    if (found == nullptr && same) found = step;
  }
  xnn_with_number(p, node, found, "aten.leaky_relu.default");
}

void xnn_elu(XnnSteps& p, const XnnNode& node) {
  const Step* found = nullptr;
  for (const Step* step : p.meant("aten.elu")) {
    const Arg* alpha = p.argument(*step, "alpha");
    const bool plain = step->args.size() <= 2 && step->kwargs.empty();
    const bool same = alpha == nullptr ? node.reals[0] == 1.0F : xnn_is(*alpha, node.reals[0]);
    if (found == nullptr && plain && same) found = step;
  }
  xnn_with_number(p, node, found, "aten.elu.default");
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
  const Step* found = p.one_of("square", all);
  xnn_pointwise(p, node, *x, [&](ValueId value, const XnnSizes&) {
    return found != nullptr ? p.like(*found, {Arg::of(value)})
                            : p.emit("aten.pow.Tensor_Scalar", {Arg::of(value), xnn_whole(2)});
  });
}

}  // namespace noclobber
