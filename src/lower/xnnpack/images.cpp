// Nodes of XNNPACK over images.
#include <algorithm>

#include "src/lower/xnnpack/steps.h"
#include "src/ops/meaning.h"

namespace noclobber {
namespace {

/// True if the argument is `wanted`; `fallback` is its value if it is absent or empty.
bool holds_or(const Arg* arg, const XnnSizes& wanted, const XnnSizes& fallback) {
  const bool absent =
      arg == nullptr || arg->kind == Arg::Kind::none || (arg->kind == Arg::Kind::list && arg->list.empty());
  return absent ? wanted == fallback : xnn_holds(*arg, wanted);
}

bool is_false_or_absent(const Arg* arg) {
  return arg == nullptr || arg->kind == Arg::Kind::none || *arg == Arg::of_bool(false);
}

}  // namespace

void xnn_global_average(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x || x->shape.size() != 4) return p.refuse(node, "no image");
  const ValueId image = p.channels_first(*x);
  const XnnSizes shape{x->shape[0], x->shape[3], 1, 1};
  std::vector<const Step*> all;
  for (const Step* step : p.meant("aten.mean")) {
    const bool plain = step->op == "aten.mean.dim" && step->args.size() == 3 &&
                       step->args[1].kind == Arg::Kind::list && step->args[2] == Arg::of_bool(true) &&
                       step->kwargs.empty();
    if (!plain) continue;
    XnnSizes dims;
    for (const Arg& item : step->args[1].list)
      if (const auto dim = xnn_number(item))
        dims.push_back(static_cast<std::int64_t>(*dim < 0 ? *dim + 4 : *dim));
    std::ranges::sort(dims);
    const auto& type = p.into.functional.value(step->results[0]).type;
    if (dims == XnnSizes{2, 3} && type && type->shape.size() == 4) all.push_back(step);
  }
  if (const Step* found = p.one_of("mean", all))
    return p.make_image(node, p.like(*found, {Arg::of(image)}), shape);
  p.make_image(node, p.emit("aten.mean.dim", {Arg::of(image), xnn_list({-1, -2}), Arg::of_bool(true)}),
               shape);
}

/// Numbers of pooling nodes: padding (top, right, bottom, left), kernel, stride, dilation (height, width).
void xnn_average_pool(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x || x->shape.size() != 4) return p.refuse(node, "no image");
  const XnnSizes& n = node.numbers;
  const XnnSizes pads{n[0], n[3]}, kernel{n[4], n[5]}, stride{n[6], n[7]};
  const auto rows = xnn_windows(x->shape[1], n[0], n[2], n[4], 1, n[6]),
             columns = xnn_windows(x->shape[2], n[3], n[1], n[5], 1, n[7]);
  if (!rows || !columns || n[0] != n[2] || n[1] != n[3] || n[8] != 0 || n[9] != 0)
    return p.refuse(node, "padding of one side, or windows that do not fit");
  const XnnSizes shape{x->shape[0], x->shape[3], *rows, *columns};
  const bool padded = pads != XnnSizes{0, 0};
  const ValueId image = p.channels_first(*x);
  std::vector<const Step*> all;
  for (const Step* step : p.meant("aten.avg_pool2d")) {
    const Arg *counts = p.argument(*step, "count_include_pad"), *by = p.argument(*step, "divisor_override");
    const bool plain = is_false_or_absent(p.argument(*step, "ceil_mode")) &&
                       (by == nullptr || by->kind == Arg::Kind::none ||
                        (!padded && *by == xnn_whole(kernel[0] * kernel[1]))) &&
                       (!padded || (counts != nullptr && *counts == Arg::of_bool(false)));
    if (plain && holds_or(p.argument(*step, "kernel_size"), kernel, {}) &&
        holds_or(p.argument(*step, "stride"), stride, kernel) &&
        holds_or(p.argument(*step, "padding"), pads, {0, 0}))
      all.push_back(step);
  }
  if (!all.empty()) return p.make_image(node, p.like(*all[0], {Arg::of(image)}), shape);
  p.make_image(
      node,
      p.emit("aten.avg_pool2d.default", {Arg::of(image), xnn_list(kernel), xnn_list(stride), xnn_list(pads),
                                         Arg::of_bool(false), Arg::of_bool(!padded)}),
      shape);
}

void xnn_max_pool(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x || x->shape.size() != 4) return p.refuse(node, "no image");
  const XnnSizes& n = node.numbers;
  const XnnSizes pads{n[0], n[3]}, kernel{n[4], n[5]}, stride{n[6], n[7]}, dilation{n[8], n[9]};
  const auto rows = xnn_windows(x->shape[1], n[0], n[2], n[4], n[8], n[6]),
             columns = xnn_windows(x->shape[2], n[3], n[1], n[5], n[9], n[7]);
  if (!rows || !columns || n[0] > n[4] / 2 || n[3] > n[5] / 2)
    return p.refuse(node, "windows that do not fit");
  const XnnSizes shape{x->shape[0], x->shape[3], *rows, *columns};
  const ValueId image = p.channels_first(*x);
  const bool even = n[0] == n[2] && n[1] == n[3];
  for (const Step* step : p.meant("aten.max_pool2d_with_indices")) {
    const bool same = holds_or(p.argument(*step, "kernel_size"), kernel, {}) &&
                      holds_or(p.argument(*step, "stride"), stride, kernel) &&
                      holds_or(p.argument(*step, "padding"), pads, {0, 0}) &&
                      holds_or(p.argument(*step, "dilation"), dilation, {1, 1});
    if (!same || step->results.empty() || !step->results[0].valid()) continue;
    // The lowering of ceil_mode, which rounds up the number of windows, adds padding behind.
    const auto& of = p.into.functional.value(step->results[0]).type;
    const auto& from = p.into.functional.value(step->args[0].ref).type;
    const bool same_sizes = of && from && of->shape.size() == 4 && from->shape.size() == 4 &&
                            from->shape[2] == SymExpr(x->shape[1]) &&
                            from->shape[3] == SymExpr(x->shape[2]) && of->shape[2] == SymExpr(*rows) &&
                            of->shape[3] == SymExpr(*columns);
    if (even ? is_false_or_absent(p.argument(*step, "ceil_mode")) || same_sizes : same_sizes)
      return p.make_image(node, p.like(*step, {Arg::of(image)}, std::nullopt, 2), shape);
  }
  if (!even) return p.refuse(node, "padding of one side");
  Step step;
  step.op = "aten.max_pool2d_with_indices.default";
  step.args = {Arg::of(image), xnn_list(kernel), xnn_list(stride), xnn_list(pads), xnn_list(dilation)};
  p.make_image(node, p.push(std::move(step), std::nullopt, 2), shape);
}

/// Given scale factors must be the ratios of the sizes, unless corners are aligned.
void xnn_resize(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x || x->shape.size() != 4) return p.refuse(node, "no image");
  const XnnSizes shape{x->shape[0], x->shape[3], node.numbers[0], node.numbers[1]};
  const Arg corners = Arg::of_bool(node.flags != 0);
  for (const Step* step : p.meant("aten.upsample_bilinear2d")) {
    const Arg *said = p.argument(*step, "align_corners"), *by = p.argument(*step, "scale_factors");
    const auto& of = p.into.functional.value(step->results[0]).type;
    const auto& from = p.into.functional.value(step->args[0].ref).type;
    bool same = step->op == "aten.upsample_bilinear2d.vec" && said != nullptr && *said == corners && of &&
                from && of->shape.size() == 4 && from->shape.size() == 4;
    for (std::size_t k = 0; same && k < 2; ++k) {
      same = of->shape[2 + k] == SymExpr(shape[2 + k]) && from->shape[2 + k] == SymExpr(x->shape[1 + k]);
      const bool scaled = by != nullptr && by->kind == Arg::Kind::list && by->list.size() == 2;
      const auto factor = scaled ? xnn_number(by->list[k]) : std::nullopt;
      if (scaled && node.flags == 0)
        same = same && factor &&
               *factor * static_cast<double>(x->shape[1 + k]) == static_cast<double>(shape[2 + k]);
    }
    if (same) return p.make_image(node, p.like(*step, {Arg::of(p.channels_first(*x))}), shape);
  }
  p.refuse(node, "no such operator in the program");
}

void xnn_prelu(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  const XnnValue* slope = x ? p.program.find(node.inputs[1]) : nullptr;
  const std::string* bytes = slope ? p.data_of(slope->id) : nullptr;
  const bool fits = bytes != nullptr && x->shape.size() == 4 && xnn_count(slope->dims) == x->shape[3] &&
                    slope->dims.back() == x->shape[3] &&
                    bytes->size() == static_cast<std::size_t>(x->shape[3]) * 4;
  if (!fits) return p.refuse(node, "slopes that are not one a channel");
  const ValueId by = xnn_constant_or_unknown(p, *bytes, {x->shape[3]});
  p.type(by, {x->shape[3]});
  const XnnSizes shape{x->shape[0], x->shape[3], x->shape[1], x->shape[2]};
  const ValueId made =
      xnn_respelled(p, "aten.prelu.default", {Arg::of(p.channels_first(*x)), Arg::of(by)}, shape);
  p.make_image(node, made, shape);
}

}  // namespace noclobber
