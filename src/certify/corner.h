// What nobody can show: a polynomial that is negative at a corner of the ranges of its atoms.
#pragma once
#include "checker/kernel/poly.h"

namespace noclobber {

/// Is `poly` below 0 for some numbers in range for which all facts are >= 0? Then no derivation shows that it
/// is not. false: not found.
bool is_refuted(const Space& space, PolyId poly, const std::vector<PolyId>& facts);

}  // namespace noclobber
