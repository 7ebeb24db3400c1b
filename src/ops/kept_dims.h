// Brings reductions to one spelling: those with keepdim, and those over all dimensions.
//
//   r = sum(x, [1], True)    is    r__reduced = sum(x, [1], False);  r = unsqueeze(r__reduced, 1)
//   r = sum(x)               is    r = sum(x, [])
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// Rewrites, in both graphs, the calls with keepdim of each operator that one graph calls in that form more
/// often than the other.
void show_kept_dims(Case& value);

/// Rewrites `sum` and `mean` of all elements as reductions over an empty list of dimensions, where the graphs
/// differ in how often they call one of the two.
void show_whole_sums(Case& value);

}  // namespace noclobber
