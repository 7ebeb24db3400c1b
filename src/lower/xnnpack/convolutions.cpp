// Convolutions of XNNPACK.
#include <algorithm>

#include "src/lower/xnnpack/steps.h"
#include "src/ops/meaning.h"

namespace noclobber {
namespace {

/// Reads the numbers of a node: padding (top, right, bottom, left), then kernel, stride, dilation (height,
/// width), channels of a group (in, out), groups, and output padding if transposed (height, width).
std::optional<XnnConvolution> xnn_convolution_of(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  const XnnSizes& n = node.numbers;
  const XnnValue* filter = p.program.find(node.inputs[1]);
  const Dtype dtype = p.program.find(node.output)->dtype;  // of the weight as well
  const std::string* weight = p.data_of(node.inputs[1], dtype);
  if (!x || x->shape.size() != 4 || weight == nullptr)
    return p.refuse(node, "no image, or no weight"), std::nullopt;
  XnnConvolution out{*x,
                     node.kind == "ConvTranspose2d",
                     {n[4], n[5]},
                     {n[6], n[7]},
                     {n[0], n[3]},
                     {n[8], n[9]},
                     {n[13], n[14]},
                     n[12],
                     n[12] * n[10],
                     n[12] * n[11],
                     "",
                     "",
                     node.inputs[2] != kNoXnnId,
                     dtype,
                     {},
                     {}};
  const bool deep = node.kind == "DepthwiseConv2d", even = n[0] == n[2] && n[1] == n[3];
  const XnnSizes own = deep ? XnnSizes{1, n[4], n[5], out.out} : XnnSizes{out.out, n[4], n[5], n[10]};
  const bool fits = even && out.groups > 0 && out.in > 0 && out.out > 0 && out.in == x->shape[3] &&
                    (!deep || n[10] == 1) && filter->dims == own && xnn_count(own) > 0 &&
                    (out.transposed || (n[13] == 0 && n[14] == 0));
  if (!fits) return p.refuse(node, "numbers that do not fit each other"), std::nullopt;
  if (out.transposed) {
    const XnnSizes grouped{n[12], n[11], n[4], n[5], n[10]};
    out.weight = xnn_permuted(*weight, grouped, {0, 4, 1, 2, 3}, dtype);
    out.weight_shape = {out.in, n[11], n[4], n[5]};
  } else {
    out.weight = xnn_permuted(*weight, own, deep ? XnnSizes{3, 0, 1, 2} : XnnSizes{0, 3, 1, 2}, dtype);
    out.weight_shape = {out.out, n[10], n[4], n[5]};
  }
  if (out.biased && dtype == Dtype::f32) {
    const std::string* bias = p.data_of(node.inputs[2]);
    const XnnValue* of = p.program.find(node.inputs[2]);
    if (bias == nullptr || of->dims != XnnSizes{out.out}) return p.refuse(node, "no bias"), std::nullopt;
    out.bias = *bias;
  }
  out.shape = {x->shape[0], out.out, 0, 0};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int64_t size = x->shape[1 + k];
    const auto plain =
        xnn_windows(size, out.pads[k], out.pads[k], out.kernel[k], out.dilation[k], out.stride[k]);
    const std::int64_t turned = (size - 1) * out.stride[k] - 2 * out.pads[k] +
                                out.dilation[k] * (out.kernel[k] - 1) + out.behind[k] + 1;
    out.shape[2 + k] = out.transposed ? turned : plain.value_or(0);
    if (out.shape[2 + k] <= 0) return p.refuse(node, "windows that do not fit"), std::nullopt;
  }
  return out;
}

/// The weight, in `shape`, and the bias of the functional program; empty if it has no such constants.
std::optional<XnnWeight> xnn_weight_of(XnnSteps& p, const XnnNode& node, const XnnConvolution& conv,
                                       const XnnSizes& shape) {
  if (conv.dtype == Dtype::f32) {
    XnnWeight out{p.constant(conv.weight, shape),
                  conv.biased ? p.constant(conv.bias, {conv.out}) : ValueId{}};
    return out.weight.valid() && out.bias.valid() == conv.biased ? std::optional(out) : std::nullopt;
  }
  const XnnQuantum& by = *p.program.find(node.inputs[1])->quantum;
  const bool each = by.scales != 0;
  if (each &&
      (by.channel != (node.kind == "DepthwiseConv2d" ? 3 : 0) || (conv.transposed && conv.groups != 1)))
    return std::nullopt;
  return xnn_weight(p, node, conv.weight, shape, conv.transposed ? 1 : 0, conv.out);
}

void xnn_convolve(XnnSteps& p, const XnnNode& node, const XnnConvolution& conv, ValueId weight,
                  ValueId bias) {
  const Arg by = bias.valid() ? Arg::of(bias) : Arg{};
  p.make_image(node,
               p.emit("aten.convolution.default",
                      {Arg::of(p.channels_first(conv.x)), Arg::of(weight), by, xnn_list(conv.stride),
                       xnn_list(conv.pads), xnn_list(conv.dilation), Arg::of_bool(conv.transposed),
                       xnn_list(conv.behind), xnn_whole(conv.groups)}),
               conv.shape);
}

/// A convolution of one dimension, to which ExecuTorch adds a second one of size one. False if it is none.
bool xnn_convolve_flat(XnnSteps& p, const XnnNode& node, const XnnConvolution& conv) {
  const bool flat = conv.x.shape[2] == 1 && conv.kernel[1] == 1 && conv.pads[1] == 0 && conv.stride[1] == 1 &&
                    conv.behind[1] == 0;
  const XnnSizes shape{conv.weight_shape[0], conv.weight_shape[1], conv.weight_shape[2]};
  const XnnSizes whole{conv.x.shape[0], conv.in, conv.x.shape[1]},
      made{conv.shape[0], conv.out, conv.shape[2]};
  if (!flat) return false;
  const auto view = [&](ValueId of, const XnnSizes& sizes) {
    return p.emit("aten.view_copy.default", {Arg::of(of), xnn_list(sizes)}, sizes);
  };
  const auto run = [&](ValueId by, const Arg& and_bias, const Arg& groups) {
    return p.emit("aten.convolution.default",
                  {Arg::of(view(p.channels_first(conv.x), whole)), Arg::of(by), and_bias,
                   xnn_list({conv.stride[0]}), xnn_list({conv.pads[0]}), xnn_list({conv.dilation[0]}),
                   Arg::of_bool(conv.transposed), xnn_list({conv.behind[0]}), groups});
  };
  if (const auto own = xnn_weight_of(p, node, conv, shape)) {
    const ValueId out =
        run(own->weight, own->bias.valid() ? Arg::of(own->bias) : Arg{}, xnn_whole(conv.groups));
    p.type(out, made);
    if (conv.dtype == Dtype::f32)
      p.make_image(node, view(out, conv.shape), conv.shape);
    else
      xnn_hold_viewed(p, node, out, conv.shape);
    return true;
  }
  if (conv.dtype != Dtype::f32) return false;
  for (const XnnNorm& norm : xnn_norms(p)) {
    const Value& of = p.into.functional.value(norm.step->args[0].ref);
    if (of.from != Value::From::step) continue;
    const Step& inner = p.into.functional.steps[of.at];
    const Input* by = inner.op == "aten.convolution.default" ? p.input_of(inner.args[1]) : nullptr;
    const auto numbers = by ? p.floats_of(inner.args[1]) : std::nullopt;
    const auto and_bias = by ? p.floats_of(inner.args[2]) : std::nullopt;
    const SharedType type_of = by ? p.into.functional.value(by->value).type : SharedType();
    const bool same = numbers && type_of && type_of->shape.size() == 3 &&
                      inner.args[6] == Arg::of_bool(false) && !conv.transposed && conv.biased &&
                      std::ranges::equal(type_of->shape, shape,
                                         [](const SymExpr& a, std::int64_t b) { return a == SymExpr(b); });
    if (!same || (inner.args[2].kind != Arg::Kind::none && !and_bias)) continue;
    if (!xnn_folds(norm, *numbers, and_bias.value_or(std::vector<float>(norm.mean.size(), 0.0F)),
                   shape[1] * shape[2], conv.weight, conv.bias, false))
      continue;
    const ValueId plain = run(p.here(inner.args[1]),
                              inner.args[2].kind == Arg::Kind::none ? Arg{} : Arg::of(p.here(inner.args[2])),
                              xnn_whole(conv.groups));
    p.type(plain, made);
    p.make_image(node, view(xnn_normalized(p, norm, plain, made), conv.shape), conv.shape);
    return true;
  }
  return false;
}

/// Emits a convolution and a batch norm of its result, which ExecuTorch folds into the weights. False if the
/// program has no batch norm that gives these weights.
bool xnn_normalized_convolution(XnnSteps& p, const XnnNode& node, const XnnConvolution& conv) {
  if (!conv.biased || conv.transposed) return false;
  for (const XnnNorm& norm : xnn_norms(p)) {
    const Value& of = p.into.functional.value(norm.step->args[0].ref);
    if (of.from != Value::From::step || of.result != 0) continue;
    const Step& inner = p.into.functional.steps[of.at];
    if (inner.op != "aten.convolution.default" || inner.args.size() != 9) continue;
    const Input* by = p.input_of(inner.args[1]);
    const SharedType weight_type = by ? p.into.functional.value(by->value).type : SharedType();
    const auto same_size = [](const SymExpr& a, std::int64_t b) { return a == SymExpr(b); };
    if (!weight_type || !std::ranges::equal(weight_type->shape, conv.weight_shape, same_size)) continue;
    const auto weight = p.floats_of(inner.args[1]);
    const bool biased = inner.args[2].kind != Arg::Kind::none;
    const auto bias =
        biased ? p.floats_of(inner.args[2]) : std::optional(std::vector<float>(norm.mean.size(), 0.0F));
    if (!weight || !bias || inner.args[6] != Arg::of_bool(false)) continue;
    const std::int64_t of_one = conv.weight_shape[1] * conv.weight_shape[2] * conv.weight_shape[3];
    if (!xnn_folds(norm, *weight, *bias, of_one, conv.weight, conv.bias, false)) continue;
    const ValueId plain =
        p.emit("aten.convolution.default",
               {Arg::of(p.channels_first(conv.x)), Arg::of(p.here(inner.args[1])),
                biased ? Arg::of(p.here(inner.args[2])) : Arg{}, xnn_list(conv.stride), xnn_list(conv.pads),
                xnn_list(conv.dilation), Arg::of_bool(false), xnn_list(conv.behind), xnn_whole(conv.groups)},
               conv.shape);
    p.make_image(node, xnn_normalized(p, norm, plain, conv.shape), conv.shape);
    return true;
  }
  return false;
}

/// A batch norm alone, which ExecuTorch lowers to a depthwise convolution. False if it is none.
bool xnn_normalization(XnnSteps& p, const XnnNode& node, const XnnConvolution& conv) {
  const bool single = conv.kernel == XnnSizes{1, 1} && conv.stride == XnnSizes{1, 1} &&
                      conv.pads == XnnSizes{0, 0} && conv.groups == conv.in && conv.in == conv.out &&
                      conv.biased && !conv.transposed;
  if (!single) return false;
  for (const XnnNorm& norm : xnn_norms(p)) {
    if (!xnn_stands_for(norm, conv.weight, conv.bias)) continue;
    const auto& type_of = p.into.functional.value(norm.step->args[0].ref).type;
    const std::size_t rank = type_of ? type_of->shape.size() : 0;
    XnnSizes shape{conv.shape[0], conv.out, conv.shape[2], conv.shape[3]};
    if (rank < 2 || rank > 4 || (rank < 4 && shape[3] != 1) || (rank < 3 && shape[2] != 1)) continue;
    const ValueId image = p.channels_first(conv.x);
    shape.resize(rank);
    const ValueId x =
        rank == 4 ? image : p.emit("aten.view_copy.default", {Arg::of(image), xnn_list(shape)}, shape);
    ValueId out = xnn_normalized(p, norm, x, shape);
    if (rank < 4) out = p.emit("aten.view_copy.default", {Arg::of(out), xnn_list(conv.shape)}, conv.shape);
    p.make_image(node, out, conv.shape);
    return true;
  }
  return false;
}

}  // namespace

void xnn_convolution(XnnSteps& p, const XnnNode& node) {
  const auto conv = xnn_convolution_of(p, node);
  if (!conv || xnn_convolve_flat(p, node, *conv)) return;
  if (const auto by = xnn_weight_of(p, node, *conv, conv->weight_shape))
    return xnn_convolve(p, node, *conv, by->weight, by->bias);
  if (conv->dtype != Dtype::f32) return p.refuse(node, "a weight, or its bias, of unknown origin");
  if (xnn_normalized_convolution(p, node, *conv) || xnn_normalization(p, node, *conv)) return;
  xnn_convolve(p, node, *conv, xnn_constant_or_unknown(p, conv->weight, conv->weight_shape),
               conv->biased ? xnn_constant_or_unknown(p, conv->bias, {conv->out}) : ValueId{});
}

}  // namespace noclobber
