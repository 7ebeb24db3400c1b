// Conjugates that PyTorch leaves to their readers: `_conj` shows the same storage and sets a bit.
//
//   c = _conj(x); r = mul(c, 2)    becomes    c = _conj_physical(x); r = mul(c, 2)
//
// The numbers are those of a fresh tensor as long as nobody writes in between, nothing that shares the
// storage leaves the graph, and nobody looks at the bit: `view_as_real` and its like refuse a tensor that has
// it. It lies as one, too, where its argument has no gaps.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// In both graphs, wherever that is so; other calls stay, and are not modelled.
void conjugate_at_once(Case& value);

}  // namespace noclobber
