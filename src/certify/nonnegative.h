// Searches for derivations that a polynomial is >= 0. The checker replays what is found.
#pragma once
#include "checker/kernel/poly.h"

namespace noclobber {

/// Replaces atoms by bounds, the latest first, so that each step needs only earlier atoms. Each replacement
/// subtracts a product of two nonnegative polynomials. At most 400 replacements a question. If that fails and
/// there are facts, tries Farkas multipliers. Empty if nothing is found.
std::optional<Derivation> find_derivation(Space& space, PolyId poly, const std::vector<PolyId>& facts);

/// A Space that searches for derivations.
inline Space searching_space() { return Space(find_derivation); }

}  // namespace noclobber
