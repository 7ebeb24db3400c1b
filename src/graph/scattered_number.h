// Scattering one number into a tensor filled with another one, along a dimension, is a comparison. For an
// index of extent 1 in dimension d,
//
//   scatter(full(c), d, index, v)[i]  =  v  where i[d] is index[i with 0 at d],  c  elsewhere
//
// and Inductor's joint-graph passes rewrite it so (scatter_upon_const_tensor), in every cross entropy.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// If only `before` scatters numbers so, rewrites it as `after` is written. Exact for indices within bounds;
/// for others `before` raises.
void compare_instead_of_scatter(Case& value);

}  // namespace noclobber
