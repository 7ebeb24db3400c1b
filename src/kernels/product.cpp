#include "src/kernels/product.h"

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

/// Four sums at a time. Without registers of this width, the compiler splits them.
using Lanes = double __attribute__((vector_size(32)));
constexpr std::size_t kLanes = 4, kColumns = 2 * kLanes, kRows = 4;

/// Copies columns [from, from + kColumns) of y to a contiguous panel, with zeros for columns past the end.
void pack_columns(const double* y, std::size_t depth, std::size_t width, bool turned, std::size_t from,
                  double* panel) {
  const std::size_t count = std::min(kColumns, width - from);
  if (count < kColumns) std::fill_n(panel, depth * kColumns, 0.0);
  if (!turned)
    for (std::size_t k = 0; k < depth; ++k) std::copy_n(y + k * width + from, count, panel + k * kColumns);
  for (std::size_t j = 0; turned && j < count; ++j)
    for (std::size_t k = 0; k < depth; ++k) panel[k * kColumns + j] = y[(from + j) * depth + k];
}

/// Multiplies four rows of the first matrix, `step` apart, by a panel. Eight independent sums hide the
/// latency of an addition.
NC_WIDE_REGISTERS
void product_tile(const double* x, std::size_t step, const double* panel, std::size_t depth,
                  double (*to)[kColumns]) {
  const double *const x1 = x + step, *const x2 = x1 + step, *const x3 = x2 + step;
  Lanes s0{}, s1{}, s2{}, s3{}, t0{}, t1{}, t2{}, t3{};
  for (std::size_t k = 0; k < depth; ++k) {
    Lanes y, z;
    std::memcpy(&y, panel + k * kColumns, sizeof y);
    std::memcpy(&z, panel + k * kColumns + kLanes, sizeof z);
    s0 += x[k] * y;
    t0 += x[k] * z;
    s1 += x1[k] * y;
    t1 += x1[k] * z;
    s2 += x2[k] * y;
    t2 += x2[k] * z;
    s3 += x3[k] * y;
    t3 += x3[k] * z;
  }
  const Lanes low[] = {s0, s1, s2, s3}, high[] = {t0, t1, t2, t3};
  for (std::size_t r = 0; r < kRows; ++r) {
    std::memcpy(to[r], &low[r], sizeof s0);
    std::memcpy(to[r] + kLanes, &high[r], sizeof s0);
  }
}

}  // namespace

void dense_product(const double* x, const double* y, double* to, std::size_t rows, std::size_t depth,
                   std::size_t width, bool turned) {
  std::vector<double> panel(depth * kColumns);
  double sums[kRows][kColumns];
  for (std::size_t j = 0; j < width; j += kColumns) {
    pack_columns(y, depth, width, turned, j, panel.data());
    for (std::size_t i = 0; i < rows; i += kRows) {
      const bool whole = i + kRows <= rows;
      const std::size_t count = whole ? kRows : 1, end = std::min(rows, i + kRows);
      for (std::size_t r = i; r < end; r += count) {  // the last rows, one at a time
        product_tile(x + r * depth, whole ? depth : 0, panel.data(), depth, sums);
        for (std::size_t n = 0; n < count; ++n)
          std::copy_n(sums[n], std::min(kColumns, width - j), to + (r + n) * width + j);
      }
    }
  }
}

}  // namespace noclobber
