// Shapes of results that lose, select or contract dimensions.
#include <algorithm>

#include "src/ops/shape_rules.h"
#include "src/ops/view_rules.h"

namespace noclobber::shape_rules {
namespace {

/// The dimensions that the argument `dim` names: all if it is absent or an empty list. Empty if they are
/// unknown.
std::optional<std::vector<bool>> reduced(const ShapeCall& call, std::size_t rank) {
  const Arg* dims = call.argument("dim");
  if (dims == nullptr) dims = call.argument("dims");
  if (dims == nullptr || (dims->kind == Arg::Kind::list && dims->list.empty()))
    return std::vector<bool>(rank, true);
  std::vector<bool> gone(rank, false);
  for (const Arg& a : items_of(*dims)) {
    if (a.kind != Arg::Kind::sym || !a.sym.is_constant()) return std::nullopt;
    const auto dim = view_rules::wrapped(a.sym.constant(), std::max<std::size_t>(rank, 1));
    if (!dim || (rank > 0 && gone[*dim])) return std::nullopt;
    if (rank > 0) gone[*dim] = true;
  }
  return gone;
}

std::optional<Shape> reduced_shape(const ShapeCall& call) {
  if (call.tensors.empty()) return std::nullopt;
  const Shape& from = call.tensors[0].shape;
  const auto gone = reduced(call, from.size());
  if (!gone) return std::nullopt;
  const Arg* keep = call.argument("keepdim");
  const bool keeps = keep != nullptr && keep->kind == Arg::Kind::boolean && keep->boolean;
  Shape out;
  for (std::size_t k = 0; k < from.size(); ++k)
    if (!(*gone)[k] || keeps) out.push_back((*gone)[k] ? call.sizes.space().constant(1) : from[k]);
  return out;
}

std::vector<InferredMeta> reduced_to(const ShapeCall& call, std::optional<Dtype> dtype) {
  auto shape = reduced_shape(call);
  if (!shape) return {};
  for (const char* name : {"dtype", "output_dtype"})
    if (const Arg* asked = call.argument(name); asked != nullptr)
      dtype = asked->kind == Arg::Kind::dtype ? std::optional(asked->dtype) : std::nullopt;
  return {{std::move(*shape), dtype}};
}

/// The argument's dtype if it is floating, which every reduction keeps. Others vary: the variance of complex
/// numbers is real, for example.
std::optional<Dtype> kept_type(const ShapeCall& call) {
  if (call.tensors.empty() || type_category(call.tensors[0].dtype) != 2) return std::nullopt;
  return call.tensors[0].dtype;
}

std::vector<InferredMeta> twice(std::vector<InferredMeta> out) {
  if (!out.empty()) out.push_back(out[0]);
  return out;
}

std::optional<Dtype> own_type(const ShapeCall& call) {
  return call.tensors.empty() ? std::nullopt : std::optional(call.tensors[0].dtype);
}

}  // namespace

std::vector<InferredMeta> reduction_shape(const ShapeCall& call) { return reduced_to(call, kept_type(call)); }

std::vector<InferredMeta> sum_shape(const ShapeCall& call) {
  const auto own = own_type(call);
  return reduced_to(call, own && type_category(*own) < 2 ? Dtype::i64 : own);
}

/// any, all: bool, or u8 for u8. An empty list of dimensions reduces none of them.
std::vector<InferredMeta> truth_shape(const ShapeCall& call) {
  const Dtype dtype = own_type(call) == Dtype::u8 ? Dtype::u8 : Dtype::boolean;
  const Arg* dims = call.argument("dim");
  if (dims != nullptr && dims->kind == Arg::Kind::list && dims->list.empty() && !call.tensors.empty())
    return {{call.tensors[0].shape, dtype}};
  return reduced_to(call, dtype);
}

std::vector<InferredMeta> arg_reduction_shape(const ShapeCall& call) { return reduced_to(call, Dtype::i64); }

/// max.dim and its like. Without a dimension (max.default, max.other) only the first result exists.
std::vector<InferredMeta> pair_reduction_shape(const ShapeCall& call) {
  if (call.tensors.size() == 2) return pointwise_shape(call);
  auto out = reduced_to(call, own_type(call));
  if (!out.empty() && call.argument("dim") != nullptr) out.push_back({out[0].shape, Dtype::i64});
  return out;
}

/// A reduction that selects elements.
std::vector<InferredMeta> pick_shape(const ShapeCall& call) { return reduced_to(call, own_type(call)); }
std::vector<InferredMeta> two_picks_shape(const ShapeCall& call) { return twice(pick_shape(call)); }

std::vector<InferredMeta> two_reductions_shape(const ShapeCall& call) {
  return twice(reduced_to(call, kept_type(call)));
}

/// Matrices (or a matrix and a vector), in batches or not, possibly after a summand.
std::vector<InferredMeta> product_shape(const ShapeCall& call) {
  const auto& tensors = call.tensors;
  const std::size_t first = tensors.size() > 2 ? 1 : 0;
  if (tensors.size() < first + 2) return {};
  const TensorMeta& a = tensors[first];
  const TensorMeta& b = tensors[first + 1];
  const std::size_t rank = a.shape.size(), right = b.shape.size();
  if (rank < 2 || rank > 3 || (right != rank && !(rank == 2 && right == 1)) ||
      !call.sizes.space().same(a.shape.back(), b.shape[right == 1 ? 0 : right - 2]))
    return {};
  Shape shape(a.shape.begin(), a.shape.end() - 1);
  if (right > 1) shape.push_back(b.shape.back());
  return {{shape, call.argument("out_dtype") != nullptr ? std::nullopt : std::optional(b.dtype)}};
}

std::vector<InferredMeta> linear_shape(const ShapeCall& call) {
  if (call.tensors.size() < 2 || call.tensors[0].shape.empty()) return {};
  const Shape& weight = call.tensors[1].shape;
  Shape out = call.tensors[0].shape;
  if (weight.empty() || weight.size() > 2 || !call.sizes.space().same(out.back(), weight.back())) return {};
  out.pop_back();
  if (weight.size() == 2) out.push_back(weight[0]);
  return {{std::move(out), call.tensors[0].dtype}};
}

/// Vectors, matrices or batches of them, which are broadcast. The dtype stays open: a composite operator runs
/// under autocast.
std::vector<InferredMeta> matmul_shape(const ShapeCall& call) {
  if (call.tensors.size() != 2) return {};
  const Shape &a = call.tensors[0].shape, &b = call.tensors[1].shape;
  if (a.empty() || b.empty() || !call.sizes.space().same(a.back(), b.size() == 1 ? b[0] : b[b.size() - 2]))
    return {};
  const Shape rows(a.begin(), a.end() - std::min<std::ptrdiff_t>(std::ssize(a), 2));
  const Shape columns(b.begin(), b.end() - std::min<std::ptrdiff_t>(std::ssize(b), 2));
  auto out = broadcast(call.sizes.space(), rows, columns);
  if (!out) return {};
  if (a.size() > 1) out->push_back(a[a.size() - 2]);
  if (b.size() > 1) out->push_back(b.back());
  return {{std::move(*out), std::nullopt}};
}

std::vector<InferredMeta> dot_shape(const ShapeCall& call) {
  if (call.tensors.size() != 2) return {};
  return {{{}, call.tensors[0].dtype}};
}

std::vector<InferredMeta> outer_shape(const ShapeCall& call) {
  if (call.tensors.size() != 2 || call.tensors[0].shape.size() != 1 || call.tensors[1].shape.size() != 1)
    return {};
  return {{{call.tensors[0].shape[0], call.tensors[1].shape[0]},
           promoted(call.tensors[0].dtype, call.tensors[1].dtype)}};
}

/// The shape of the index, the dtype of the first tensor.
std::vector<InferredMeta> take_shape(const ShapeCall& call) {
  if (call.tensors.size() < 2) return {};
  return {{call.tensors[1].shape, call.tensors[0].dtype}};
}

std::vector<InferredMeta> index_select_shape(const ShapeCall& call) {
  if (call.tensors.size() < 2 || call.tensors[1].shape.size() > 1) return {};
  Shape out = call.tensors[0].shape;
  const auto dim = call.dim("dim", out.size());
  if (!dim) return {};
  if (!out.empty())
    out[*dim] = call.tensors[1].shape.empty() ? call.sizes.space().constant(1) : call.tensors[1].shape[0];
  return {{std::move(out), call.tensors[0].dtype}};
}

std::vector<InferredMeta> embedding_shape(const ShapeCall& call) {
  if (call.tensors.size() < 2 || call.tensors[0].shape.size() != 2) return {};
  Shape out = call.tensors[1].shape;
  out.push_back(call.tensors[0].shape[1]);
  return {{std::move(out), call.tensors[0].dtype}};
}

}  // namespace noclobber::shape_rules
