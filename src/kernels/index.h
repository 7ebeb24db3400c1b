// Advanced indexing: which element of `self` each element of an indexed result is.
#pragma once
#include <optional>

#include "src/kernels/kernels.h"

namespace noclobber {

/// `self[i, :, j]` with index tensors broadcast together; masks count as the indices of their true elements.
class IndexPlan {
 public:
  /// Nothing, with a fault, where PyTorch raises.
  static std::optional<IndexPlan> make(Call& call, const Array& self, const Datum& indices);
  const Extents& shape() const { return shape_; }
  /// Of a fresh result: as self lies in the dimensions that are not indexed.
  Extents strides() const;
  /// Position in self's storage of row-major element k of the result. The index tensors are read now.
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

/// An index along `size` read from `array`; negative ones count from the end if `wraps`. Raises out of range.
std::int64_t read_index(Call& call, const Array& array, std::int64_t at, std::int64_t size, bool wraps);

}  // namespace noclobber
