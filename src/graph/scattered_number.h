// One number scattered into another one along a dimension is a comparison. For an index of extent 1 in
// dimension d,
//
//   scatter(full(c), d, index, v)[i]  =  v  where i[d] is index[i with 0 at d],  c  elsewhere
//
// and Inductor's joint passes write it so (scatter_upon_const_tensor), in every cross entropy.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// Where `before` alone scatters numbers so, it is written as `after` is. Exact for indices within bounds;
/// for others `before` raises.
void compare_instead_of_scatter(Case& value);

}  // namespace noclobber
