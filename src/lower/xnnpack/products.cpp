// Matrix products of XNNPACK.
#include <algorithm>

#include "src/lower/xnnpack/steps.h"
#include "src/ops/meaning.h"

namespace noclobber {
namespace {

/// True if the program expands the transposed weight to a matrix for each matrix of an operand, as it does
/// for operands whose rows are not contiguous.
bool xnn_goes_by_matrices(const XnnSteps& p, const Step& turned) {
  return std::ranges::any_of(p.into.functional.steps, [&](const Step& step) {
    return base_name(step.op) == "aten.expand_copy" && step.args[0] == Arg::of(turned.results[0]);
  });
}

ValueId xnn_product(XnnSteps& p, const XnnGiven& x, ValueId right, ValueId bias, std::int64_t columns,
                    bool by_matrices) {
  const std::size_t rank = x.shape.size();
  const std::int64_t inner = x.shape.back();
  XnnSizes whole = x.shape;
  whole.back() = columns;
  const auto view = [&](ValueId of, const XnnSizes& sizes) {
    return p.emit("aten.view_copy.default", {Arg::of(of), xnn_list(sizes)}, sizes);
  };
  if (by_matrices && rank == 3) {
    const auto spread = [&](ValueId of, const XnnSizes& sizes) {
      return view(p.emit("aten.expand_copy.default", {Arg::of(of), xnn_list(sizes)}, sizes), sizes);
    };
    const ValueId left = spread(x.value, x.shape), each = spread(right, {x.shape[0], inner, columns});
    const ValueId made = view(p.emit("aten.bmm.default", {Arg::of(left), Arg::of(each)}, whole), whole);
    return bias.valid() ? p.emit("aten.add.Tensor", {Arg::of(made), Arg::of(bias)}, whole) : made;
  }
  const std::int64_t rows = xnn_count(whole) / columns;
  const ValueId flat = rank == 2 ? x.value : view(x.value, {rows, inner});
  const ValueId made =
      bias.valid()
          ? p.emit("aten.addmm.default", {Arg::of(bias), Arg::of(flat), Arg::of(right)}, {{rows, columns}})
          : p.emit("aten.mm.default", {Arg::of(flat), Arg::of(right)}, {{rows, columns}});
  return rank == 2 ? made : view(made, whole);
}

/// Emits a product and a batch norm of its result, which ExecuTorch folds into the weights. False if the
/// program has no batch norm that gives these weights.
bool xnn_normalized_product(XnnSteps& p, const XnnNode& node, const XnnGiven& x, const std::string& weight,
                            const std::string& bias, const XnnSizes& shape) {
  if (weight.empty() || bias.empty() || shape.size() != 2) return false;
  for (const XnnNorm& norm : xnn_norms(p)) {
    const Value& of = p.into.functional.value(norm.step->args[0].ref);
    const Step* inner = of.from == Value::From::step ? &p.into.functional.steps[of.at] : nullptr;
    const bool biased = inner != nullptr && inner->op == "aten.addmm.default";
    if (inner == nullptr || (!biased && inner->op != "aten.mm.default") || !inner->kwargs.empty()) continue;
    const Arg& right = inner->args[biased ? 2 : 1];
    const Value& turned = p.into.functional.value(right.ref);
    if (turned.from != Value::From::step) continue;
    const Step& turn = p.into.functional.steps[turned.at];
    if (base_name(turn.op) != "aten.permute_copy" || p.input_of(turn.args[0]) == nullptr) continue;
    const auto numbers = p.floats_of(turn.args[0]);
    const auto and_bias =
        biased ? p.floats_of(inner->args[0]) : std::optional(std::vector<float>(norm.mean.size(), 0.0F));
    if (!numbers || !and_bias || !xnn_folds(norm, *numbers, *and_bias, x.shape.back(), weight, bias, true))
      continue;
    const ValueId by = p.emit("aten.permute_copy.default", {Arg::of(p.here(turn.args[0])), xnn_list({1, 0})},
                              {{x.shape.back(), shape.back()}});
    const ValueId made =
        xnn_product(p, x, by, biased ? p.here(inner->args[0]) : ValueId{}, shape.back(), false);
    p.make(node, xnn_normalized(p, norm, made, shape), shape);
    return true;
  }
  return false;
}

/// A product of quantised values. The weight has a row for each column of the result.
void xnn_quantised_product(XnnSteps& p, const XnnNode& node, const XnnGiven& x) {
  const XnnValue* filter = p.program.find(node.inputs[1]);
  const std::string* weight = p.data_of(node.inputs[1], Dtype::i8);
  const bool fits = weight != nullptr && node.flags == 0 && filter->dims.size() == 2 && x.shape.size() >= 2 &&
                    filter->dims[1] == x.shape.back() && xnn_count(filter->dims) > 0 &&
                    filter->quantum->channel == 0;
  if (!fits) return p.refuse(node, "no matrix that fits");
  const std::int64_t columns = filter->dims[0];
  const auto by = xnn_weight(p, node, *weight, filter->dims, 0, columns);
  if (!by) return p.refuse(node, "a weight, or its bias, of unknown origin");
  const ValueId right = p.emit("aten.permute_copy.default", {Arg::of(by->weight), xnn_list({1, 0})},
                               {{filter->dims[1], columns}});
  bool by_matrices = false;
  for (const Step* step : p.meant("aten.permute_copy"))
    if (step->args[0] == Arg::of(by->meant->results[0]))
      by_matrices = by_matrices || xnn_goes_by_matrices(p, *step);
  XnnSizes shape = x.shape;
  shape.back() = columns;
  p.make(node, xnn_product(p, x, right, by->bias, columns, by_matrices), shape);
}

}  // namespace

void xnn_batch_product(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0), y = p.operand(node, 1);
  if (!x || !y) return;
  const bool fits = x->shape.size() == 3 && y->shape.size() == 3 && x->shape[0] == y->shape[0] &&
                    x->shape[2] == y->shape[1];
  if (!fits) return p.refuse(node, "operands that are no lists of matrices");
  const XnnSizes shape{x->shape[0], x->shape[1], y->shape[2]};
  p.make(node, p.emit("aten.bmm.default", {Arg::of(x->value), Arg::of(y->value)}, shape), shape);
}

void xnn_full_product(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (x && p.program.find(node.output)->quantum) return xnn_quantised_product(p, node, *x);
  const XnnValue* filter = x ? p.program.find(node.inputs[1]) : nullptr;
  if (filter == nullptr || x->shape.size() < 2) return p.refuse(node, "no matrix");
  const XnnGiven* dynamic = filter->dtype == Dtype::f32 ? p.held(filter->id) : nullptr;
  const XnnSizes dims = dynamic != nullptr ? dynamic->shape : filter->dims;
  const std::string* weight = p.data_of(filter->id);
  const bool in_first = node.flags == 1;
  if (dims.size() != 2 || dims[in_first ? 0 : 1] != x->shape.back() ||
      (dynamic == nullptr && weight == nullptr) || xnn_count(dims) <= 0 ||
      (weight != nullptr && weight->size() != static_cast<std::size_t>(xnn_count(dims)) * 4))
    return p.refuse(node, "no matrix that fits");
  const std::int64_t columns = dims[in_first ? 1 : 0];
  XnnSizes shape = x->shape;
  shape.back() = columns;
  const std::string* bias_bytes = node.inputs[2] == kNoXnnId ? nullptr : p.data_of(node.inputs[2]);
  if (node.inputs[2] != kNoXnnId &&
      (bias_bytes == nullptr || p.program.find(node.inputs[2])->dims != XnnSizes{columns} ||
       bias_bytes->size() != static_cast<std::size_t>(columns) * 4))
    return p.refuse(node, "no bias");
  ValueId by = dynamic != nullptr ? dynamic->value : p.constant(*weight, dims);
  const ValueId bias = bias_bytes != nullptr ? p.constant(*bias_bytes, {columns}) : ValueId{};
  if (dynamic == nullptr && (!by.valid() || (bias_bytes != nullptr && !bias.valid())) &&
      xnn_normalized_product(p, node, *x, in_first ? "" : *weight, bias_bytes ? *bias_bytes : "", shape))
    return;
  const XnnSizes other{dims[1], dims[0]};
  ValueId right = in_first ? by : ValueId{};
  if (!by.valid()) {
    const ValueId turned = p.constant(xnn_permuted(*weight, dims, {1, 0}), other);
    if (turned.valid() && !in_first) right = turned;
    if (turned.valid() && in_first)
      right = p.emit("aten.permute_copy.default", {Arg::of(turned), xnn_list({1, 0})}, dims);
    if (!turned.valid()) by = xnn_constant_or_unknown(p, *weight, dims);
    if (!turned.valid() && in_first) right = by;
  }
  if (!right.valid()) right = p.emit("aten.permute_copy.default", {Arg::of(by), xnn_list({1, 0})}, other);
  bool by_matrices = false;
  for (const Step* step : p.meant("aten.permute_copy"))
    if (const Input* of = p.input_of(step->args[0]);
        of != nullptr && by.valid() && p.here(step->args[0]) == by)
      by_matrices = by_matrices || xnn_goes_by_matrices(p, *step);
  const ValueId and_bias =
      bias_bytes != nullptr ? xnn_constant_or_unknown(p, *bias_bytes, {columns}) : ValueId{};
  p.make(node, xnn_product(p, *x, right, and_bias, columns, by_matrices), shape);
}

}  // namespace noclobber
