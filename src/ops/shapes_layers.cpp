// Shapes of the results of network layers and of their gradients: norms, losses, softmax, attention.
#include <algorithm>

#include "src/ops/shape_rules.h"

namespace noclobber::shape_rules {
namespace {

/// The dtype that an argument named "dtype" or "input_dtype" requests.
std::optional<Dtype> asked_dtype(const ShapeCall& call) {
  for (const char* name : {"dtype", "input_dtype"})
    if (const Arg* asked = call.argument(name); asked != nullptr && asked->kind == Arg::Kind::dtype)
      return asked->dtype;
  return std::nullopt;
}

/// Appends sums or gradients of parameters. Those of f32 and f64 have that dtype; half precision is summed in
/// f32 by some kernels, so its dtype stays open.
void add_sums(std::vector<InferredMeta>& out, const Shape& shape, int times) {
  const auto own = out[0].dtype;
  for (int k = 0; k < times; ++k)
    out.push_back({shape, own == Dtype::f32 || own == Dtype::f64 ? own : std::nullopt});
}

std::optional<Shape> sizes_named(const ShapeCall& call, const char* name) {
  if (call.argument(name) == nullptr) return std::nullopt;
  Shape out;
  for (const Arg& item : call.items(name)) {
    if (item.kind != Arg::Kind::sym) return std::nullopt;
    out.push_back(call.sizes.of(item.sym));
  }
  return out;
}

}  // namespace

/// The shape of the argument. The dtype is the requested one, or that which the kernel keeps; open for
/// composite operators, which run under autocast.
std::vector<InferredMeta> softmax_shape(const ShapeCall& call) {
  if (call.tensors.empty() || !call.dim("dim", call.tensors[0].shape.size())) return {};
  auto dtype = asked_dtype(call);
  if (call.is_true("half_to_float")) dtype = Dtype::f32;
  if (call.argument("half_to_float") != nullptr && !dtype) dtype = call.tensors[0].dtype;
  return {{call.tensors[0].shape, dtype}};
}

/// A mean or a sum; without a reduction, one element per pair.
std::vector<InferredMeta> loss_shape(const ShapeCall& call) {
  auto out = pointwise_shape(call);
  const auto reduction = call.integer("reduction", 1);
  if (out.empty() || !reduction) return {};
  if (*reduction != 0) out[0].shape.clear();
  return out;
}

/// As loss_shape, with the dtype of the first tensor, whatever that of the other is.
std::vector<InferredMeta> own_loss_shape(const ShapeCall& call) {
  auto out = loss_shape(call);
  if (!out.empty() && !call.tensors.empty()) out[0].dtype = call.tensors[0].dtype;
  return out;
}

/// The normalized input, and in training the mean and deviation of each channel.
std::vector<InferredMeta> batch_norm_shape(const ShapeCall& call) {
  auto out = like_shape(call);
  if (!out.empty() && out[0].shape.size() > 1 && call.is_true("training"))
    add_sums(out, {out[0].shape[1]}, 2);
  return out;
}

/// As batch_norm_shape, then the running statistics, which are the last two tensors.
std::vector<InferredMeta> functional_batch_norm_shape(const ShapeCall& call) {
  auto out = batch_norm_shape(call);
  if (out.size() < 3 || call.tensors.size() < 3) return out;
  for (auto at = call.tensors.end() - 2; at != call.tensors.end(); ++at)
    out.push_back({at->shape, at->dtype});
  return out;
}

/// layer_norm: a mean and a deviation for each place outside of the normalized dimensions; group_norm: for
/// each group.
std::vector<InferredMeta> norm_shape(const ShapeCall& call) {
  auto out = like_shape(call);
  if (out.empty()) return {};
  const std::size_t normalized = call.items("normalized_shape").size();
  Shape sums = out[0].shape;
  if (const auto groups = sizes_named(call, "group"); groups && !sums.empty()) {
    if (groups->size() != 1) return out;
    sums = {sums[0], groups->front()};
  } else {
    if (normalized == 0 || normalized > sums.size()) return out;
    std::fill(sums.end() - static_cast<std::ptrdiff_t>(normalized), sums.end(),
              call.sizes.space().constant(1));
  }
  add_sums(out, sums, 2);
  return out;
}

/// The shape and dtype of the tensor whose gradient this is, which follows the gradient of the result.
std::vector<InferredMeta> gradient_shape(const ShapeCall& call) {
  if (call.tensors.size() < 2) return {};
  return {{call.tensors[1].shape, call.tensors[1].dtype}};
}

std::vector<InferredMeta> batch_norm_gradients_shape(const ShapeCall& call) {
  auto out = gradient_shape(call);
  if (!out.empty() && out[0].shape.size() > 1) add_sums(out, {out[0].shape[1]}, 2);
  return out;
}

/// layer_norm: weight and bias have the normalized shape; group_norm: an element per channel.
std::vector<InferredMeta> norm_gradients_shape(const ShapeCall& call) {
  auto out = gradient_shape(call);
  auto weight = sizes_named(call, "normalized_shape");
  if (!weight) weight = sizes_named(call, "C");
  if (!out.empty() && weight) add_sums(out, *weight, 2);
  return out;
}

/// Tensors: the result and its gradient, of one shape; then what the forward kernel kept, which may be empty.
std::vector<InferredMeta> first_two_shape(const ShapeCall& call) {
  if (call.tensors.size() < 2) return {};
  const std::vector<TensorMeta> two(call.tensors.begin(), call.tensors.begin() + 2);
  return pointwise_shape({call.sizes, call.op, call.schema, call.arguments, two});
}

/// query, key, value, whose rows have equal lengths: a row of values for each row of the query, and a sum for
/// each.
std::vector<InferredMeta> attention_shape(const ShapeCall& call) {
  auto out = like_shape(call);
  if (out.empty() || out[0].shape.size() != 4) return {};
  add_sums(out, Shape(out[0].shape.begin(), out[0].shape.end() - 1), 1);
  return out;
}

/// The gradients of query, key and value, which follow that of the result.
std::vector<InferredMeta> attention_gradients_shape(const ShapeCall& call) {
  if (call.tensors.size() < 4) return {};
  std::vector<InferredMeta> out;
  for (std::size_t k = 1; k < 4; ++k) out.push_back({call.tensors[k].shape, call.tensors[k].dtype});
  return out;
}

}  // namespace noclobber::shape_rules
