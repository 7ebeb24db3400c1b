// How the elements of a shape lie in memory by their strides.
#pragma once
#include <optional>
#include <vector>

#include "src/ops/sizes.h"

namespace noclobber::effects {

bool may_be_empty(Space& space, const Shape& shape);
/// Dimensions from the outermost to the innermost, where elements lie one behind the other: each stride is
/// what the smaller dimensions hold. Nothing: there are gaps, or it cannot be told.
std::optional<std::vector<std::uint32_t>> dense_order(Space& space, const Shape& shape,
                                                      const std::vector<PolyId>& strides);
/// Strides that place every element of the shape in memory once, without gaps, in some order.
bool is_dense(Space& space, const Shape& shape, const std::vector<PolyId>& strides);

}  // namespace noclobber::effects
