#include "src/ops/kernels_product.h"

#include <algorithm>
#include <cstring>
#include <vector>

// The same operations in the same order, in wider registers where the machine has them. Sanitizers cannot
// choose between versions at load time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define NC_WIDE_REGISTERS __attribute__((target_clones("avx2", "default")))
#else
#define NC_WIDE_REGISTERS
#endif

namespace noclobber {
namespace {

/// Four sums at a time; what the compiler has no wide registers for it does in halves.
using Lanes = double __attribute__((vector_size(32)));
constexpr std::size_t kLanes = 4, kRows = 4;

/// Columns [from, from + kLanes) of y one after the other; zeros where there are none.
void pack_columns(const double* y, std::size_t depth, std::size_t width, bool turned, std::size_t from,
                  double* panel) {
  const std::size_t count = std::min(kLanes, width - from);
  if (count < kLanes) std::fill_n(panel, depth * kLanes, 0.0);
  if (!turned)
    for (std::size_t k = 0; k < depth; ++k) std::copy_n(y + k * width + from, count, panel + k * kLanes);
  for (std::size_t j = 0; turned && j < count; ++j)
    for (std::size_t k = 0; k < depth; ++k) panel[k * kLanes + j] = y[(from + j) * depth + k];
}

/// Four rows of the first matrix, `step` apart, against a panel.
NC_WIDE_REGISTERS
void product_tile(const double* x, std::size_t step, const double* panel, std::size_t depth,
                  double (*to)[kLanes]) {
  const double *const x1 = x + step, *const x2 = x1 + step, *const x3 = x2 + step;
  Lanes s0{}, s1{}, s2{}, s3{};
  for (std::size_t k = 0; k < depth; ++k) {
    Lanes y;
    std::memcpy(&y, panel + k * kLanes, sizeof y);
    s0 += x[k] * y;
    s1 += x1[k] * y;
    s2 += x2[k] * y;
    s3 += x3[k] * y;
  }
  std::memcpy(to[0], &s0, sizeof s0);
  std::memcpy(to[1], &s1, sizeof s1);
  std::memcpy(to[2], &s2, sizeof s2);
  std::memcpy(to[3], &s3, sizeof s3);
}

}  // namespace

void dense_product(const double* x, const double* y, double* to, std::size_t rows, std::size_t depth,
                   std::size_t width, bool turned) {
  std::vector<double> panel(depth * kLanes);
  double sums[kRows][kLanes];
  for (std::size_t j = 0; j < width; j += kLanes) {
    pack_columns(y, depth, width, turned, j, panel.data());
    for (std::size_t i = 0; i < rows; i += kRows) {
      const bool whole = i + kRows <= rows;
      const std::size_t count = whole ? kRows : 1, end = std::min(rows, i + kRows);
      for (std::size_t r = i; r < end; r += count) {  // the last rows one by one
        product_tile(x + r * depth, whole ? depth : 0, panel.data(), depth, sums);
        for (std::size_t n = 0; n < count; ++n)
          std::copy_n(sums[n], std::min(kLanes, width - j), to + (r + n) * width + j);
      }
    }
  }
}

}  // namespace noclobber
