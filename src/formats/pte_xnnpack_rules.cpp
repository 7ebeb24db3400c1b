// Which operator a node of XNNPACK is, and those that are one operator of PyTorch.
#include <algorithm>

#include "src/formats/pte_xnnpack_steps.h"

namespace noclobber {
namespace {

constexpr std::uint32_t kXnnKeepDims = 64;  // a flag

/// Of two operands; nothing where they do not fit.
std::optional<XnnSizes> xnn_broadcast(const XnnSizes& a, const XnnSizes& b) {
  XnnSizes out(std::max(a.size(), b.size()), 1);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::int64_t x = k < a.size() ? a[a.size() - 1 - k] : 1, y = k < b.size() ? b[b.size() - 1 - k] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[out.size() - 1 - k] = x == 1 ? y : x;
  }
  return out;
}

}  // namespace

void xnn_unary(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (x) p.make(node, p.emit(xnn_row(node.kind)->op.data(), {Arg::of(x->value)}), x->shape);
}

void xnn_binary(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0), y = p.operand(node, 1);
  if (!x || !y) return;
  const auto shape = xnn_broadcast(x->shape, y->shape);
  if (!shape) return p.refuse(node, "operands of sizes that do not fit");
  p.make(node, p.emit(xnn_row(node.kind)->op.data(), {Arg::of(x->value), Arg::of(y->value)}), *shape);
}

void xnn_clamp(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  if (!node.clamp) return p.refuse(node, "no bounds");
  p.make(node, p.clamped(x->value, node.clamp->first, node.clamp->second), x->shape);
}

void xnn_softmax(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  std::vector<const Step*> all;
  const auto rank = static_cast<std::int64_t>(x->shape.size());
  for (const Step* step : p.meant("aten._softmax"))
    if (step->args.size() == 3 && step->args[2] == Arg::of_bool(false) &&
        (step->args[1] == Arg::of(SymExpr(-1)) || step->args[1] == Arg::of(SymExpr(rank - 1))))
      all.push_back(step);
  if (const Step* found = p.one_of("softmax " + std::to_string(rank), all))
    return p.make(node, p.like(*found, {Arg::of(x->value)}), x->shape);
  p.make(node,
         p.emit("aten._softmax.default", {Arg::of(x->value), Arg::of(SymExpr(-1)), Arg::of_bool(false)}),
         x->shape);
}

const XnnRow* xnn_row(std::string_view kind) {
  static constexpr XnnRow kRows[] = {{"Add", "aten.add.Tensor", xnn_binary, 0, true},
                                     {"Subtract", "aten.sub.Tensor", xnn_binary, 0, true},
                                     {"Multiply", "aten.mul.Tensor", xnn_binary, 0, true},
                                     {"Div", "aten.div.Tensor", xnn_binary, 0, true},
                                     {"Minimum", "aten.minimum.default", xnn_binary},
                                     {"Maximum", "aten.maximum.default", xnn_binary},
                                     {"Sigmoid", "aten.sigmoid.default", xnn_unary},
                                     {"Floor", "aten.floor.default", xnn_unary},
                                     {"Ceiling", "aten.ceil.default", xnn_unary},
                                     {"SquareRoot", "aten.sqrt.default", xnn_unary},
                                     {"ReciprocalSquareRoot", "aten.rsqrt.default", xnn_unary},
                                     {"Negate", "aten.neg.default", xnn_unary},
                                     {"Abs", "aten.abs.default", xnn_unary},
                                     {"Log", "aten.log.default", xnn_unary},
                                     {"Tanh", "aten.tanh.default", xnn_unary},
                                     {"Exp", "aten.exp.default", xnn_unary},
                                     {"Sin", "aten.sin.default", xnn_unary},
                                     {"Cos", "aten.cos.default", xnn_unary},
                                     {"Hardswish", "", xnn_hardswish},
                                     {"Gelu", "", xnn_gelu},
                                     {"LeakyReLU", "", xnn_leaky_relu},
                                     {"ELU", "", xnn_elu},
                                     {"Square", "", xnn_square},
                                     {"Softmax", "", xnn_softmax},
                                     {"Clamp", "", xnn_clamp, 0, true},
                                     {"StaticTranspose", "", xnn_transpose},
                                     {"StaticReshape", "", xnn_reshape},
                                     {"StaticSlice", "", xnn_slice},
                                     {"StaticConstantPad", "", xnn_pad},
                                     {"Concatenate2", "", xnn_concatenate},
                                     {"Concatenate3", "", xnn_concatenate},
                                     {"Concatenate4", "", xnn_concatenate},
                                     {"Concatenate5", "", xnn_concatenate},
                                     {"Copy", "", xnn_copy},
                                     {"BatchMatrixMultiply", "", xnn_batch_product},
                                     {"FullyConnected", "", xnn_full_product, 1, true},
                                     {"PReLU", "", xnn_prelu},
                                     {"GlobalAvgPooling2d", "", xnn_global_average, kXnnKeepDims, true},
                                     {"AvgPooling2d", "", xnn_average_pool, kXnnKeepDims, true},
                                     {"MaxPooling2d", "", xnn_max_pool, kXnnKeepDims, true},
                                     {"StaticResizeBilinear2D", "", xnn_resize, 8},
                                     {"Conv2d", "", xnn_convolution, 0, true},
                                     {"DepthwiseConv2d", "", xnn_convolution, 0, true},
                                     {"ConvTranspose2d", "", xnn_convolution, 0, true}};
  const auto* const row = std::ranges::find(kRows, kind, &XnnRow::kind);
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace noclobber
