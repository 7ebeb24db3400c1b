// Lazy conjugates: `_conj` returns an alias of its argument with the conjugate bit set.
//
//   c = _conj(x); r = mul(c, 2)    becomes    c = _conj_physical(x); r = mul(c, 2)
//
// The result has the contents of a fresh tensor if no step writes before its last reader, no alias of it
// leaves the graph, and no reader inspects the bit: `view_as_real` and its like reject a tensor that has it.
// It also has the layout of a fresh tensor if its argument is dense.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// Rewrites such calls in both graphs. Other calls of `_conj` stay, and are not modelled.
void conjugate_at_once(Case& value);

}  // namespace noclobber
