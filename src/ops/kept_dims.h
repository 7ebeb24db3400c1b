// Reductions that keep what they reduce as dimensions of one.
//
//   r = sum(x, [1], True)    is    r__reduced = sum(x, [1], False);  r = unsqueeze(r__reduced, 1)
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// Writes out, in both graphs, each such call of an operator that one of them calls so more often than the
/// other does.
void show_kept_dims(Case& value);

}  // namespace noclobber
