// Products of dense matrices. Every sum adds its terms in the order of k for all shapes, so equal rows give
// equal bits.
#pragma once
#include <cstddef>

namespace noclobber {

/// to[i, j] = sum over k of x[i, k] * y[k, j]. All are row-major and contiguous. `turned`: y is given as [j,
/// k].
void dense_product(const double* x, const double* y, double* to, std::size_t rows, std::size_t depth,
                   std::size_t width, bool turned = false);

template <class T>
void dense_product(const T* x, const T* y, T* to, std::size_t rows, std::size_t depth, std::size_t width,
                   bool turned = false) {
  for (std::size_t i = 0; i < rows; ++i, x += depth, to += width) {
    for (std::size_t j = 0; j < width; ++j) to[j] = T{};
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t j = 0; j < width; ++j) to[j] += x[k] * y[turned ? j * depth + k : k * width + j];
  }
}

}  // namespace noclobber
