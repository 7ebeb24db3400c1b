// The rules of all XNNPACK nodes, and the nodes that are one operator of PyTorch.
#include <algorithm>

#include "src/lower/xnnpack/steps.h"

namespace noclobber {
namespace {

constexpr std::uint32_t kXnnKeepDims = 64;  // a flag

/// The broadcast shape of two operands; empty if they do not fit.
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

void xnn_pointwise(XnnSteps& p, const XnnNode& node, const XnnGiven& x,
                   const std::function<ValueId(ValueId, const XnnSizes&)>& rule) {
  const auto image = p.images.find(x.value.index);
  if (image == p.images.end()) return p.make(node, rule(x.value, x.shape), x.shape);
  const XnnSizes first = xnn_first(x.shape);
  p.make_image(node, rule(image->second, first), first);
}

void xnn_unary(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  const auto rule = [&](ValueId value, const XnnSizes&) {
    return p.emit(xnn_row(node.kind)->op.data(), {Arg::of(value)});
  };
  if (x) xnn_pointwise(p, node, *x, rule);
}

/// Computes on channels-first images if each operand is an image or a number.
void xnn_binary(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0), y = p.operand(node, 1);
  if (!x || !y) return;
  const auto shape = xnn_broadcast(x->shape, y->shape);
  if (!shape) return p.refuse(node, "operands of sizes that do not fit");
  const auto first = [&](const XnnGiven& one) {
    const auto image = p.images.find(one.value.index);
    if (image != p.images.end()) return image->second;
    return xnn_count(one.shape) == 1 && one.shape.size() <= 1 ? one.value : ValueId{};
  };
  const ValueId a = first(*x), b = first(*y);
  const char* op = xnn_row(node.kind)->op.data();
  if (!a.valid() || !b.valid() || shape->size() != 4)
    return p.make(node, p.emit(op, {Arg::of(x->value), Arg::of(y->value)}), *shape);
  p.make_image(node, p.emit(op, {Arg::of(a), Arg::of(b)}), xnn_first(*shape));
}

void xnn_clamp(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  if (!node.clamp) return p.refuse(node, "no bounds");
  xnn_pointwise(p, node, *x, [&](ValueId value, const XnnSizes&) {
    return p.clamped(value, node.clamp->first, node.clamp->second);
  });
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
  static constexpr auto kComputes = XnnRow::Quantised::computes, kMoves = XnnRow::Quantised::moves;
  static constexpr XnnRow kRows[] = {
      {"Add", "aten.add.Tensor", xnn_binary, 0, true, false, kComputes},
      {"Subtract", "aten.sub.Tensor", xnn_binary, 0, true, false, kComputes},
      {"Multiply", "aten.mul.Tensor", xnn_binary, 0, true, false, kComputes},
      {"Div", "aten.div.Tensor", xnn_binary, 0, true},
      {"Minimum", "aten.minimum.default", xnn_binary},
      {"Maximum", "aten.maximum.default", xnn_binary},
      {"Sigmoid", "aten.sigmoid.default", xnn_unary, 0, false, false, kComputes},
      {"Floor", "aten.floor.default", xnn_unary},
      {"Ceiling", "aten.ceil.default", xnn_unary},
      {"SquareRoot", "aten.sqrt.default", xnn_unary},
      {"ReciprocalSquareRoot", "aten.rsqrt.default", xnn_unary},
      {"Negate", "aten.neg.default", xnn_unary},
      {"Abs", "aten.abs.default", xnn_unary},
      {"Log", "aten.log.default", xnn_unary},
      {"Tanh", "aten.tanh.default", xnn_unary, 0, false, false, kComputes},
      {"Exp", "aten.exp.default", xnn_unary},
      {"Sin", "aten.sin.default", xnn_unary},
      {"Cos", "aten.cos.default", xnn_unary},
      {"Convert", "", xnn_convert},
      {"Hardswish", "", xnn_hardswish, 0, false, false, kComputes},
      {"Gelu", "", xnn_gelu},
      {"LeakyReLU", "", xnn_leaky_relu, 0, false, false, kComputes},
      {"ELU", "", xnn_elu, 0, false, false, kComputes},
      {"Square", "", xnn_square},
      {"Softmax", "", xnn_softmax},
      {"Clamp", "", xnn_clamp, 0, true, false, kComputes},
      {"StaticTranspose", "", xnn_transpose, 0, false, false, kMoves},
      {"StaticReshape", "", xnn_reshape, 0, false, false, kMoves},
      {"StaticSlice", "", xnn_slice, 0, false, false, kMoves},
      {"StaticConstantPad", "", xnn_pad, 0, false, false, kMoves},
      {"Concatenate2", "", xnn_concatenate, 0, false, false, kMoves},
      {"Concatenate3", "", xnn_concatenate, 0, false, false, kMoves},
      {"Concatenate4", "", xnn_concatenate, 0, false, false, kMoves},
      {"Concatenate5", "", xnn_concatenate, 0, false, false, kMoves},
      {"Copy", "", xnn_copy, 0, false, false, kMoves},
      {"BatchMatrixMultiply", "", xnn_batch_product},
      {"FullyConnected", "", xnn_full_product, 1, true, true, kComputes},
      {"PReLU", "", xnn_prelu},
      {"GlobalAvgPooling2d", "", xnn_global_average, kXnnKeepDims, true, false, kComputes},
      {"AvgPooling2d", "", xnn_average_pool, kXnnKeepDims, true, false, kComputes},
      {"MaxPooling2d", "", xnn_max_pool, kXnnKeepDims, true, false, XnnRow::Quantised::selects},
      {"StaticResizeBilinear2D", "", xnn_resize, 8, false, false, kComputes},
      {"Conv2d", "", xnn_convolution, 0, true, true, kComputes},
      {"DepthwiseConv2d", "", xnn_convolution, 0, true, true, kComputes},
      {"ConvTranspose2d", "", xnn_convolution, 0, true, true, kComputes}};
  const auto* const row = std::ranges::find(kRows, kind, &XnnRow::kind);
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace noclobber
