// Farkas multipliers: a linear form as a nonnegative combination of others.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace noclobber {

/// by * target = sum of multiplier * row + rest, where rest > -by and all numbers are integers.
struct Combination {
  std::vector<std::pair<std::size_t, std::int64_t>> multipliers;  // row, multiplier > 0
  std::int64_t by = 1, rest = 0;
};

/// Rows and target are coefficients of the same unknowns, the constant last. Exact simplex with Bland's rule,
/// which does not cycle. Empty if there is no combination, none within 100 pivots a phase, or a number does
/// not fit 64 bits.
std::optional<Combination> combine(const std::vector<std::vector<std::int64_t>>& rows,
                                   const std::vector<std::int64_t>& target);

}  // namespace noclobber
