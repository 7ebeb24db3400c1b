// Advanced indexing: maps each element of an indexed result to an element of `self`.
#pragma once
#include <optional>

#include "src/kernels/kernels.h"

namespace noclobber {

/// `self[i, :, j]` with index tensors broadcast together. A mask counts as the indices of its true elements.
class IndexPlan {
 public:
  /// Empty, with a fault, if PyTorch raises.
  static std::optional<IndexPlan> make(Call& call, const Array& self, const Datum& indices);
  const Extents& shape() const { return shape_; }
  /// The strides of a fresh result, as PyTorch's iterator picks them from `self` and the index tensors.
  Extents strides() const;
  /// The position (elements) in self's storage of row-major element k of the result. Reads the index tensors.
  std::int64_t position(Call& call, std::int64_t k) const;

 private:
  void place(const Geometry& self, const std::vector<bool>& indexed);
  Geometry self_;
  std::vector<Array> index_;       // one per indexed dimension
  std::vector<std::size_t> dims_;  // of self
  Extents index_shape_, shape_;
  std::vector<std::size_t> free_dims_;  // of self, in order of the result
  std::size_t index_at_ = 0;            // first dimension of the result that index_shape_ takes
};

/// Reads an index along a dimension of extent `size`. Negative ones count from the end if `wraps`. Raises if
/// it is out of range.
std::int64_t read_index(Call& call, const Array& array, std::int64_t at, std::int64_t size, bool wraps);

}  // namespace noclobber
