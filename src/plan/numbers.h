// Sizes as numbers: polynomials and expressions at values of the symbols, and the values that are tried.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/kernel/poly.h"
#include "src/graph/case.h"

namespace noclobber {

/// Value of `poly`; indices have the values of `index`, by position. Empty for an unknown symbol, an
/// uninterpreted function, a divisor that is not positive, overflow, or kBad.
std::optional<std::int64_t> number_of(const Space& space, PolyId poly, const SymbolValues& symbols,
                                      const std::vector<std::int64_t>& index = {});

/// Values of all symbols of the case that satisfy ranges and relations: the ends of the ranges, the hints and
/// a few values between. One empty assignment if there are no symbols. At most 64.
std::vector<SymbolValues> symbol_samples(const Case& value);

}  // namespace noclobber
