// Reductions in one spelling: those that keep what they reduce as dimensions of one, and those of everything.
//
//   r = sum(x, [1], True)    is    r__reduced = sum(x, [1], False);  r = unsqueeze(r__reduced, 1)
//   r = sum(x)               is    r = sum(x, [])
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// Writes out, in both graphs, each such call of an operator that one of them calls so more often than the
/// other does.
void show_kept_dims(Case& value);

/// Writes `sum` and `mean` of everything as those over no dimension that is named, where the graphs differ in
/// how often they call one of the two.
void show_whole_sums(Case& value);

}  // namespace noclobber
