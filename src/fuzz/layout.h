// Strided layouts of views, as PyTorch's eager mode computes them.
#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

#include "src/fuzz/draft.h"
#include "src/fuzz/random.h"

namespace noclobber::fuzz {

using Ints = std::vector<std::int64_t>;

inline Ints row_major(const Ints& shape) {
  Ints out(shape.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;) out[k - 1] = out[k] * std::max<std::int64_t>(shape[k], 1);
  return out;
}

/// Strides for a random order of the dimensions, at times with gaps, or with stride 0 in one dimension.
inline Ints some_strides(const Ints& shape, Random& random) {
  Ints out(shape.size()), rest(shape.size());
  std::iota(rest.begin(), rest.end(), 0);
  for (std::int64_t step = random.chance(15) ? 2 : 1; !rest.empty();) {
    const auto at = random.place_in(rest);
    const auto dim = static_cast<std::size_t>(rest[at]);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
    out[dim] = step;
    step = step * shape[dim] + (random.chance(20) ? random.between(1, 3) : 0);
  }
  if (random.chance(10)) random.one_of(out) = 0;
  return out;
}

inline Arg number(std::int64_t value) { return Arg::of(SymExpr(value)); }
inline Arg ref(int value) { return Arg::of(ValueId(static_cast<std::size_t>(value))); }
inline Arg numbers(const Ints& values) {
  std::vector<Arg> list;
  for (const std::int64_t v : values) list.push_back(number(v));
  return Arg::of(std::move(list));
}

struct Cut {
  std::int64_t dim = 0, start = 0, end = 0, step = 1;
};

inline Shown sliced(Shown base, const Cut& c) {
  const auto d = static_cast<std::size_t>(c.dim);
  base.offset += c.start * base.stride[d];
  base.shape[d] = (c.end - c.start + c.step - 1) / c.step;
  base.stride[d] *= c.step;
  return base;
}
inline Shown selected(Shown base, std::int64_t dim, std::int64_t at) {
  base.offset += at * base.stride[static_cast<std::size_t>(dim)];
  base.shape.erase(base.shape.begin() + dim);
  base.stride.erase(base.stride.begin() + dim);
  return base;
}
inline Shown diagonal_of(Shown base, std::int64_t offset) {
  base.offset += offset * (offset > 0 ? base.stride[1] : -base.stride[0]);
  const std::int64_t rows = base.shape[0] - std::max<std::int64_t>(-offset, 0),
                     columns = base.shape[1] - std::max<std::int64_t>(offset, 0);
  base.shape.push_back(std::min(rows, columns));
  base.stride.push_back(base.stride[0] + base.stride[1]);
  base.shape.erase(base.shape.begin(), base.shape.begin() + 2);
  base.stride.erase(base.stride.begin(), base.stride.begin() + 2);
  return base;
}

}  // namespace noclobber::fuzz
