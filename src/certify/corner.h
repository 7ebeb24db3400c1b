// Search for a counterexample to poly >= 0 at a corner of the ranges of its atoms.
#pragma once
#include "checker/kernel/poly.h"

namespace noclobber {

/// True if `poly` is found to be negative for some numbers in range at which all facts are >= 0. Then no
/// derivation shows that it is >= 0.
bool is_refuted(const Space& space, PolyId poly, const std::vector<PolyId>& facts);

}  // namespace noclobber
