#include "src/effects/dense.h"

#include <algorithm>
#include <numeric>

namespace noclobber::effects {

bool may_be_empty(Space& space, const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [&](PolyId extent) { return space.value(extent) == 0; });
}

std::optional<std::vector<std::uint32_t>> dense_order(Space& space, const Shape& shape,
                                                      const std::vector<PolyId>& strides) {
  std::vector<std::uint32_t> all(shape.size()), left, inner;
  std::iota(all.begin(), all.end(), 0U);
  if (may_be_empty(space, shape)) return all;
  for (std::uint32_t k : all)
    if (space.value(shape[k]) != 1) left.push_back(k);
  PolyId expected = space.constant(1);
  while (!left.empty()) {
    const auto next = std::find_if(left.rbegin(), left.rend(),
                                   [&](std::uint32_t k) { return space.same(strides[k], expected); });
    if (next == left.rend()) return std::nullopt;
    expected = space.mul(expected, shape[*next]);
    inner.push_back(*next);
    left.erase(std::next(next).base());
  }
  if (std::is_sorted(inner.rbegin(), inner.rend())) return all;
  std::erase_if(all, [&](std::uint32_t k) { return space.value(shape[k]) != 1; });  // ones may be anywhere
  all.insert(all.end(), inner.rbegin(), inner.rend());
  return all;
}

bool is_dense(Space& space, const Shape& shape, const std::vector<PolyId>& strides) {
  return dense_order(space, shape, strides).has_value();
}

}  // namespace noclobber::effects
