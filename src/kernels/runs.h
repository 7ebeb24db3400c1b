// Loops over arrays by stretches: dimensions with a common stride are joined, the outer ones are counted, and
// the innermost one is a loop over one dtype. Loops over elements use it if the order of accesses is not
// observed.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "src/kernels/kernels.h"

namespace noclobber {

/// Elements of a stretch done at a time: their Numbers fit into the nearest cache.
constexpr std::int64_t kRunLength = 256;

/// Several arrays in row-major order of one shape, to which they broadcast (shapes are checked already).
class Sweep {
 public:
  Sweep(const Extents& shape, std::initializer_list<const Geometry*> arrays)
      : Sweep(shape, std::vector<const Geometry*>(arrays)) {}
  Sweep(const Extents& shape, const std::vector<const Geometry*>& arrays);
  /// The stride of array `i` along a stretch, in elements.
  std::int64_t stride(std::size_t i) const { return strides_[i].front(); }
  /// Calls f(positions, count) for each piece of a stretch: `count` elements (at most kRunLength) from the
  /// positions of each array on.
  template <class F>
  void each(F f) const;

 private:
  Extents sizes_;                 // innermost first, at least one
  std::vector<Extents> strides_;  // by array
  Extents first_;
};

/// True if the array's elements lie inside of its memory and may be accessed in any order.
bool runs_freely(const Call& call, const Array& array);
/// True if a store to an element of `to` changes no element of `from` but the corresponding one.
bool keeps_step(const Array& from, const Array& to);

bool run_defined(const Array& array, std::int64_t at, std::int64_t stride, std::int64_t count);
/// Loads a stretch: to[i * step] is element i.
void load_run(const Array& array, std::int64_t at, std::int64_t stride, std::int64_t count, Number* to,
              std::size_t step);
void load_reals(const Array& array, std::int64_t at, std::int64_t stride, std::int64_t count, double* to);
/// As Call::store for each element, with one definedness flag for all.
void store_run(const Array& array, std::int64_t at, std::int64_t stride, std::int64_t count,
               const Number* from, bool defined);
void store_reals(const Array& array, std::int64_t at, std::int64_t stride, std::int64_t count,
                 const double* from, bool defined);
/// As Call::move for each element, between arrays of one dtype.
void move_run(const Array& from, std::int64_t from_at, std::int64_t from_stride, const Array& to,
              std::int64_t to_at, std::int64_t to_stride, std::int64_t count);

template <class F>
void Sweep::each(F f) const {
  if (std::find(sizes_.begin(), sizes_.end(), 0) != sizes_.end()) return;
  Extents at(sizes_.size(), 0), begin = first_, here;
  for (;;) {
    here = begin;
    for (std::int64_t done = 0; done < sizes_[0]; done += kRunLength) {
      f(static_cast<const Extents&>(here), std::min(kRunLength, sizes_[0] - done));
      for (std::size_t i = 0; i < here.size(); ++i) here[i] += kRunLength * stride(i);
    }
    std::size_t d = 1;
    for (; d < sizes_.size() && at[d] + 1 == sizes_[d]; ++d) {
      for (std::size_t i = 0; i < begin.size(); ++i) begin[i] -= at[d] * strides_[i][d];
      at[d] = 0;
    }
    if (d == sizes_.size()) return;
    ++at[d];
    for (std::size_t i = 0; i < begin.size(); ++i) begin[i] += strides_[i][d];
  }
}

}  // namespace noclobber
