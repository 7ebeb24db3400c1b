// Each rule returns false only if types and sizes are known not to fit, unless its comment differs.
#include "src/ops/fit_rules.h"

#include <algorithm>
#include <span>

#include "src/ops/shape_rules.h"

namespace noclobber::fit_rules {
namespace {

using Metas = std::span<const TensorMeta>;

bool one_type(Metas tensors) {
  std::optional<Dtype> type;
  for (const TensorMeta& t : tensors) {
    if (t.dtype == Dtype::other) continue;
    if (type && *type != t.dtype) return false;
    type = t.dtype;
  }
  return true;
}

bool may_be(Space& space, PolyId extent, PolyId other) {
  const auto a = space.value(extent), b = space.value(other);
  return !a || !b || *a == *b;
}

/// False only if the shapes are known to differ.
bool may_be(Space& space, std::span<const PolyId> a, std::span<const PolyId> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!may_be(space, a[k], b[k])) return false;
  return true;
}

bool may_be(const ShapeCall& call, const TensorMeta& a, const TensorMeta& b) {
  return may_be(call.sizes.space(), std::span(a.shape), std::span(b.shape));
}

std::size_t rank_of(const TensorMeta& t) { return t.shape.size(); }

/// True if the parameter may have one element per channel, which is the second dimension.
bool per_channel(const ShapeCall& call, const TensorMeta& parameter) {
  const Shape& of = call.tensors[0].shape;
  return of.size() < 2 || (rank_of(parameter) == 1 && may_be(call.sizes.space(), parameter.shape[0], of[1]));
}

/// True if the result of `rule` for `count` tensors from `first` on may have the shape of the very first
/// tensor.
bool is_gradient_of(const ShapeCall& call, ShapeRule rule, std::size_t first, std::size_t count) {
  if (call.tensors.size() < first + count) return true;
  const auto at = call.tensors.begin() + static_cast<std::ptrdiff_t>(first);
  const std::vector<TensorMeta> given(at, at + static_cast<std::ptrdiff_t>(count));
  const auto out = rule({call.sizes, call.op, call.schema, call.arguments, given});
  return out.empty() || may_be(call.sizes.space(), std::span(out[0].shape), std::span(call.tensors[0].shape));
}

}  // namespace

bool no_complex_fits(const ShapeCall& call) {
  return std::ranges::none_of(call.tensors, [](const TensorMeta& t) { return is_complex(t.dtype); });
}

bool division_fits(const ShapeCall& call) {
  if (call.tensors.size() < 3) return true;
  return type_category(call.tensors[1].dtype) > 1 || type_category(call.tensors[2].dtype) > 1;
}

bool double_fits(const ShapeCall& call) {
  const bool in_place = !call.schema.arguments.empty() && call.schema.arguments[0].written;
  return !in_place || call.tensors.empty() || call.tensors[0].dtype == Dtype::f64 ||
         call.tensors[0].dtype == Dtype::c128;
}

bool average_fits(const ShapeCall& call) {
  return call.tensors.empty() || type_category(call.tensors[0].dtype) > 1 ||
         call.argument("dtype") != nullptr;
}

/// A summand has the dtype of the matrices, or any if `out_dtype` is given.
bool matrices_fit(const ShapeCall& call) {
  const std::size_t count = call.tensors.size();
  if (count < 2) return false;
  const bool asked = call.argument("out_dtype") != nullptr;
  if (!one_type(asked ? Metas(call.tensors).last(2) : Metas(call.tensors))) return false;
  const TensorMeta &a = call.tensors[count - 2], &b = call.tensors[count - 1];
  const bool vectors = call.op.ends_with("dot"), by_vector = call.op.ends_with("mv"),
             batches = call.op.ends_with("bmm");
  if (rank_of(a) != (vectors ? 1 : batches ? 3 : 2)) return false;
  if (rank_of(b) != (vectors || by_vector ? 1 : batches ? 3 : 2)) return false;
  if (vectors) return may_be(call, a, b);
  if (count == 2) return true;
  Shape product(a.shape.begin(), a.shape.end() - 1);
  if (!by_vector) product.push_back(b.shape.back());
  return !shape_rules::cannot_fill(call.sizes.space(), call.tensors[0].shape, product);
}

/// Dtypes are not checked: the operator runs under autocast, which chooses them.
bool linear_fits(const ShapeCall& call) {
  if (call.tensors.size() < 3) return true;
  const auto out = shape_rules::linear_shape(call);
  return out.empty() || !shape_rules::cannot_fill(call.sizes.space(), call.tensors[2].shape, out[0].shape);
}

bool triangle_fits(const ShapeCall& call) { return call.tensors.empty() || rank_of(call.tensors[0]) >= 2; }
bool square_fits(const ShapeCall& call) { return call.tensors.empty() || rank_of(call.tensors[0]) == 2; }

bool take_fits(const ShapeCall& call) {
  return call.tensors.size() < 2 || call.tensors[1].dtype == Dtype::i64;
}

bool buckets_fit(const ShapeCall& call) { return call.tensors.empty() || rank_of(call.tensors.back()) == 1; }

bool distance_fits(const ShapeCall& call) {
  if (call.tensors.size() < 2) return true;
  const Shape &a = call.tensors[0].shape, &b = call.tensors[1].shape;
  return a.size() >= 2 && b.size() >= 2 && may_be(call.sizes.space(), a.back(), b.back());
}

/// The gradient has one row for each index.
bool embedding_gradient_fits(const ShapeCall& call) {
  if (call.tensors.size() < 2 || call.tensors[0].shape.empty()) return call.tensors.size() < 2;
  Space& space = call.sizes.space();
  Shape rows = call.tensors[0].shape;
  rows.pop_back();
  return may_be(space, element_count(space, rows), element_count(space, call.tensors[1].shape));
}

/// A gradient is narrowed to `input_dtype` only if the forward kernel widened: f16 to f32.
bool softmax_gradient_fits(const ShapeCall& call) {
  if (call.tensors.size() < 2 || !may_be(call, call.tensors[0], call.tensors[1]))
    return call.tensors.size() < 2;
  const Arg* asked = call.argument("input_dtype");
  if (asked == nullptr || asked->kind != Arg::Kind::dtype) return true;
  const Dtype grad = call.tensors[0].dtype;
  return asked->dtype == grad || (grad == Dtype::f32 && asked->dtype == Dtype::f16);
}

/// The buffer that the forward kernel kept has the shape of the others, or is empty.
bool sigmoid_gradient_fits(const ShapeCall& call) {
  if (call.tensors.size() < 3) return true;
  Space& space = call.sizes.space();
  const Shape& kept = call.tensors[2].shape;
  const auto is_empty = [&](PolyId extent) { return space.value(extent) == 0; };
  return std::ranges::any_of(kept, is_empty) || !shape_rules::cannot_fill(space, kept, call.tensors[1].shape);
}

bool norm_fits(const ShapeCall& call) {
  if (call.tensors.empty()) return true;
  Space& space = call.sizes.space();
  const bool groups = call.argument("normalized_shape") == nullptr;
  Shape own;
  for (const Arg& item : call.items(groups ? "C" : "normalized_shape")) {
    if (item.kind != Arg::Kind::sym) return true;
    own.push_back(call.sizes.of(item.sym));
  }
  const std::span<const PolyId> all(call.tensors[0].shape), wanted(own);
  const bool whole = groups ? all.size() < 2 || own.size() != 1 || may_be(space, all[1], own[0])
                            : own.size() <= all.size() && may_be(space, all.last(own.size()), wanted);
  if (!whole) return false;
  return std::all_of(call.tensors.begin() + 1, call.tensors.end(),
                     [&](const TensorMeta& t) { return may_be(space, std::span(t.shape), wanted); });
}

bool batch_norm_fits(const ShapeCall& call) {
  return call.tensors.empty() || std::all_of(call.tensors.begin() + 1, call.tensors.end(),
                                             [&](const TensorMeta& t) { return per_channel(call, t); });
}

/// Tensors: the gradient of the result, the input, then parameters.
bool batch_norm_gradient_fits(const ShapeCall& call) {
  if (call.tensors.size() < 2) return true;
  return may_be(call, call.tensors[0], call.tensors[1]) &&
         std::all_of(call.tensors.begin() + 2, call.tensors.end(), [&](const TensorMeta& t) {
           const auto count = call.sizes.space().value(element_count(call.sizes.space(), t.shape));
           return count == 0 || per_channel(call, t);
         });
}

bool attention_fits(const ShapeCall& call) {
  return call.tensors.size() < 3 || one_type(Metas(call.tensors).first(3));
}

/// Tensors: the gradient of the result, query, key, value, the result, and a sum for each of its rows.
bool attention_gradient_fits(const ShapeCall& call) {
  if (call.tensors.size() < 6) return true;
  Space& space = call.sizes.space();
  const TensorMeta& out = call.tensors[4];
  const Shape& value = call.tensors[3].shape;
  const std::span<const PolyId> rows(out.shape);
  return one_type(Metas(call.tensors).first(5)) && may_be(call, call.tensors[0], out) && !rows.empty() &&
         may_be(space, rows.first(rows.size() - 1), std::span(call.tensors[5].shape)) && !value.empty() &&
         may_be(space, value.back(), rows.back());
}

bool convolution_fits(const ShapeCall& call) {
  if (call.tensors.size() > 1 && !one_type(Metas(call.tensors).first(2))) return false;
  if (call.tensors.size() < 3) return true;
  const auto out = shape_rules::convolution_shape(call);
  const Shape& bias = call.tensors[2].shape;
  return out.empty() || (bias.size() == 1 && may_be(call.sizes.space(), bias[0], out[0].shape[1]));
}

bool convolution_gradient_fits(const ShapeCall& call) {
  return is_gradient_of(call, shape_rules::convolution_shape, 1, 2);
}

bool pool_gradient_fits(const ShapeCall& call) {
  if (!adaptive_gradient_fits(call)) return false;
  if (call.tensors.size() > 2 && !may_be(call, call.tensors[0], call.tensors[2])) return false;
  return is_gradient_of(call, shape_rules::pool_shape, 1, 1);
}

bool adaptive_gradient_fits(const ShapeCall& call) {
  return call.tensors.size() < 2 || rank_of(call.tensors[0]) == rank_of(call.tensors[1]);
}

/// `padding` has a number before and one after for each of the last dimensions, after one or two others.
bool padding_fits(const ShapeCall& call) {
  if (call.tensors.empty()) return true;
  const std::size_t padded = call.items("padding").size() / 2, rank = rank_of(call.tensors[0]);
  return rank == padded + 1 || rank == padded + 2;
}

bool resized_fits(const ShapeCall& call) {
  const std::size_t dims = shape_rules::spatial_dims(call.op);
  return call.tensors.empty() || dims == 0 || rank_of(call.tensors[0]) == dims + 2;
}

/// There are as many columns as windows in the image. Also false if the sizes of the image are undetermined.
bool image_fits(const ShapeCall& call) {
  const auto image = shape_rules::image_shape(call);
  if (image.empty()) return false;
  const std::vector<TensorMeta> given{{image[0].shape, call.tensors[0].dtype}};
  const auto columns = shape_rules::columns_shape({call.sizes, call.op, call.schema, call.arguments, given});
  return columns.empty() || may_be(call.sizes.space(), columns[0].shape.back(), call.tensors[0].shape.back());
}

}  // namespace noclobber::fit_rules
