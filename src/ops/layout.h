// Shapes, strides and result dtypes by PyTorch's rules (TensorIterator, empty_like, type promotion).
#pragma once
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "src/base/sym.h"
#include "src/ops/array.h"

namespace noclobber {

/// The sizes or strides as numbers; empty if one has a symbol.
std::optional<Extents> constant_extents(const std::vector<SymExpr>& sizes);
/// The product; empty on overflow or for a negative size.
std::optional<std::int64_t> element_count(const Extents& shape);
Extents contiguous_strides(const Extents& shape);
bool is_contiguous(const Geometry& g);
/// True if the view covers a block of memory without gaps, each element exactly once.
bool is_dense(const Geometry& g);
/// channels_last (rank 4) or channels_last_3d (rank 5) strides for `shape`.
Extents channels_last_strides(const Extents& shape);
bool is_channels_last(const Geometry& g);
/// suggest_memory_format: strides in channels-last order (sizes 1 do not count against it).
bool prefers_channels_last(const Geometry& g);
/// Dimensions from innermost to outermost by TensorIterator's insertion sort.
template <class Compare>
std::vector<std::size_t> sorted_dims(std::size_t rank, Compare compare) {
  std::vector<std::size_t> perm(rank);
  std::iota(perm.rbegin(), perm.rend(), std::size_t{0});
  for (std::size_t i = 1; i < rank; ++i) {
    std::size_t dim1 = i;
    for (std::size_t dim0 = i; dim0-- > 0;) {
      const int order = compare(perm[dim0], perm[dim1]);
      if (order < 0) break;
      if (order == 0) continue;
      std::swap(perm[dim0], perm[dim1]);
      dim1 = dim0;
    }
  }
  return perm;
}

/// The strides of empty_like(preserve_format).
Extents preserved_strides(const Geometry& g);
/// The strides that TensorIterator gives a fresh result of `shape` computed from `inputs`.
Extents iterator_strides(std::span<const Geometry> inputs, const Extents& shape);
std::optional<Extents> broadcast_shapes(const Extents& a, const Extents& b);
/// `g` broadcast to `shape`.
Geometry shown_in(Geometry g, const Extents& shape);
/// The strides of a view of `g` with `shape`; empty if it needs a copy.
std::optional<Extents> reshaped_strides(const Geometry& g, const Extents& shape);
/// One past the last element position reached (0 if there is no element); empty on overflow or for a negative
/// position.
std::optional<std::int64_t> reach(const Geometry& g);

Dtype promote(Dtype a, Dtype b);
/// An operand of type promotion: a tensor with dimensions, one without, or a Python number.
struct Promoted {
  enum class Rank : std::uint8_t { dimensioned, zero_dim, wrapped };
  Rank rank = Rank::dimensioned;
  Dtype dtype = Dtype::f32;
};
Dtype result_type(std::span<const Promoted> inputs);
bool can_cast(Dtype from, Dtype to);

}  // namespace noclobber
