// Searches for derivations that a polynomial is >= 0; the checker replays what is found.
#pragma once
#include "checker/kernel/poly.h"

namespace noclobber {

/// Atoms are replaced by a bound, latest first, so that each step needs only earlier atoms; every replacement
/// is a product of two nonnegative polynomials taken away. Bound: 400 replacements a question.
std::optional<Derivation> find_derivation(Space& space, PolyId poly, const std::vector<PolyId>& facts);

/// A Space whose questions are answered by search.
inline Space searching_space() { return Space(find_derivation); }

}  // namespace noclobber
