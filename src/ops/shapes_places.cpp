// Loads and stores at computed indices. A rule gives no result for what PyTorch rejects: values of another
// dtype, indices of another rank, extents that are known not to fit.
#include <algorithm>

#include "src/ops/shape_rules.h"

namespace noclobber::shape_rules {
namespace {

bool same_type(const TensorMeta& a, const TensorMeta& b) {
  return a.dtype == b.dtype || a.dtype == Dtype::other || b.dtype == Dtype::other;
}

std::size_t least_rank(const TensorMeta& t) { return std::max<std::size_t>(t.shape.size(), 1); }

/// True if both are known numbers and the first is smaller.
bool is_smaller(Space& space, PolyId a, PolyId b) {
  const auto x = space.value(a), y = space.value(b);
  return x && y && *x < *y;
}

/// True if an index into `room` along `dim` may fit: it has the same rank, and is not larger in any dimension
/// but `dim`. An empty index always fits.
bool index_fits(const ShapeCall& call, const TensorMeta& index, const TensorMeta& room,
                std::optional<std::size_t> dim) {
  bool fits = least_rank(index) == least_rank(room);
  for (std::size_t k = 0; fits && k < std::min(index.shape.size(), room.shape.size()); ++k)
    fits = dim == k || !is_smaller(call.sizes.space(), room.shape[k], index.shape[k]);
  const auto is_empty = [&](PolyId extent) { return call.sizes.space().value(extent) == 0; };
  return fits || std::any_of(index.shape.begin(), index.shape.end(), is_empty);
}

/// False if the indices, the tensors between self and values, are known not to broadcast to one shape.
bool indices_fit(const ShapeCall& call) {
  Space& space = call.sizes.space();
  std::vector<std::int64_t> widest;  // last dimension first; 0: open
  for (std::size_t k = 1; k + 1 < call.tensors.size(); ++k) {
    const TensorMeta& index = call.tensors[k];
    if (index.dtype == Dtype::u8) return true;  // a mask
    widest.resize(std::max(widest.size(), index.shape.size()), 1);
    for (std::size_t d = 0; d < index.shape.size(); ++d) {
      const std::int64_t extent = space.value(index.shape[index.shape.size() - 1 - d]).value_or(0);
      if (extent > 1 && widest[d] > 1 && extent != widest[d]) return false;
      if (extent != 1 && widest[d] == 1) widest[d] = extent;
    }
  }
  return true;
}

/// False if a mask is known to differ from the extents of the dimensions that it indexes. Tensors: self, the
/// given indices, values.
bool masks_fit(const ShapeCall& call, const Arg& list) {
  const Shape& self = call.tensors.front().shape;
  std::size_t at = 0, next = 1;
  for (const Arg& item : list.list) {
    const bool given = item.kind != Arg::Kind::none && next + 1 < call.tensors.size();
    const TensorMeta* index = given ? &call.tensors[next++] : nullptr;
    const bool mask = index != nullptr && (type_category(index->dtype) == 0 || index->dtype == Dtype::u8);
    for (std::size_t k = 0; mask && k < index->shape.size(); ++k) {
      if (at + k >= self.size()) return false;
      const auto has = call.sizes.space().value(index->shape[k]),
                 room = call.sizes.space().value(self[at + k]);
      if (has && room && *has != *room) return false;
    }
    at += mask ? index->shape.size() : 1;
  }
  return true;
}

/// True only if `values` is known to broadcast to `target`.
bool surely_fills(const Space& space, const Shape& values, const Shape& target) {
  if (values.size() > target.size()) return false;
  const auto from = target.end() - static_cast<std::ptrdiff_t>(values.size());
  return std::equal(values.begin(), values.end(), from, target.end(),
                    [&](PolyId a, PolyId b) { return space.value(a) == 1 || space.same(a, b); });
}

}  // namespace

bool cannot_fill(Space& space, const Shape& values, const Shape& target) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto extent = space.value(values[values.size() - 1 - k]);
    if (k >= target.size()) return true;
    const auto wanted = space.value(target[target.size() - 1 - k]);
    if (extent && wanted && *extent != 1 && *extent != *wanted) return true;
  }
  return false;
}

/// index_put: stores the last tensor at `indices`. A mask indexes as many dimensions as it has.
std::vector<InferredMeta> index_put_shape(const ShapeCall& call) {
  const Arg* list = call.argument("indices");
  if (list == nullptr || list->kind != Arg::Kind::list || call.tensors.size() < 2) return {};
  const TensorMeta &self = call.tensors.front(), &values = call.tensors.back();
  std::size_t dimensions = 0, masks = 0, next = 1;
  for (const Arg& item : list->list) {
    const bool given = item.kind != Arg::Kind::none && next + 1 < call.tensors.size();
    const bool mask = given && type_category(call.tensors[next].dtype) == 0;
    dimensions += mask ? call.tensors[next].shape.size() : 1;
    masks += mask ? 1 : 0;
    next += given ? 1 : 0;
  }
  if (dimensions > self.shape.size() || !masks_fit(call, *list)) return {};
  const bool fills = masks == 1 && list->list.size() == 1;  // with one value, which is converted
  if (!fills && !same_type(self, values)) return {};
  if (masks == 0 && !indices_fit(call)) return {};
  const auto picked = masks == 0 ? index_shape(call) : std::vector<InferredMeta>{};
  if (!picked.empty() && !surely_fills(call.sizes.space(), values.shape, picked[0].shape)) return {};
  return like_shape(call);
}

/// gather: the shape of the index, the dtype of the first tensor.
std::vector<InferredMeta> gather_shape(const ShapeCall& call) {
  if (call.tensors.size() < 2) return {};
  const TensorMeta &self = call.tensors[0], &index = call.tensors[1];
  const auto dim = call.dim("dim", self.shape.size());
  if (!dim || type_category(index.dtype) != 1 || !index_fits(call, index, self, dim)) return {};
  return {{index.shape, self.dtype}};
}

/// scatter: the index is not larger than self, except along `dim`, and not larger than a source.
std::vector<InferredMeta> scatter_shape(const ShapeCall& call) {
  if (call.tensors.size() < 2) return {};
  const TensorMeta &self = call.tensors[0], &index = call.tensors[1];
  const auto dim = call.dim("dim", self.shape.size());
  if (!dim || type_category(index.dtype) != 1 || !index_fits(call, index, self, dim)) return {};
  const bool whole = call.tensors.size() > 2;
  if (whole && !same_type(self, call.tensors[2])) return {};
  if (whole && !index_fits(call, index, call.tensors[2], std::nullopt)) return {};
  return like_shape(call);
}

/// index_add, index_copy, index_fill: a list of indices along `dim`, and a source of self's dtype and, except
/// along `dim`, of self's shape.
std::vector<InferredMeta> index_store_shape(const ShapeCall& call) {
  if (call.tensors.size() < 2) return {};
  const TensorMeta &self = call.tensors[0], &index = call.tensors[1], &source = call.tensors.back();
  const auto dim = call.dim("dim", self.shape.size());
  if (!dim || index.shape.size() > 1 || type_category(index.dtype) != 1) return {};
  if (call.argument("source") == nullptr)
    return index.dtype == Dtype::i64 ? like_shape(call) : std::vector<InferredMeta>{};
  if (!same_type(self, source)) return {};
  Space& space = call.sizes.space();
  if (self.shape.empty() || source.shape.empty()) return like_shape(call);
  if (source.shape.size() != self.shape.size()) return {};
  Shape slice = self.shape;
  slice[*dim] = index.shape.empty() ? space.constant(1) : index.shape[0];
  for (std::size_t k = 0; k < slice.size(); ++k)
    if (is_smaller(space, slice[k], source.shape[k]) || is_smaller(space, source.shape[k], slice[k]))
      return {};
  return like_shape(call);
}

/// masked_fill, masked_scatter: the tensor and its mask are broadcast, a source is not.
std::vector<InferredMeta> masked_shape(const ShapeCall& call) {
  if (call.tensors.size() < 2 || type_category(call.tensors[1].dtype) != 0) return {};
  if (call.argument("source") != nullptr && !same_type(call.tensors[0], call.tensors.back())) return {};
  auto shape = broadcast(call.sizes.space(), call.tensors[0].shape, call.tensors[1].shape);
  if (!shape) return {};
  return {{std::move(*shape), call.tensors[0].dtype}};
}

}  // namespace noclobber::shape_rules
