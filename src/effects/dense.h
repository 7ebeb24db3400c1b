// Whether strides place the elements of a shape densely in memory.
#pragma once
#include <optional>
#include <vector>

#include "src/ops/sizes.h"

namespace noclobber::effects {

bool may_be_empty(Space& space, const Shape& shape);
/// The dimensions from outermost to innermost if the elements are dense: each stride is the product of the
/// extents of the inner dimensions. Empty if there are gaps or overlaps, or if it is not known.
std::optional<std::vector<std::uint32_t>> dense_order(Space& space, const Shape& shape,
                                                      const std::vector<PolyId>& strides);
/// True if the strides place every element of the shape exactly once, without gaps, in some order.
bool is_dense(Space& space, const Shape& shape, const std::vector<PolyId>& strides);

}  // namespace noclobber::effects
