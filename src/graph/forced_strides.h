// prims.inductor_force_stride_order(x, stride): x itself where it has these strides, else a copy that has
// them.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// Writes `aten.alias` for the calls whose argument has the strides already, by its type; others stay.
void show_forced_strides(Case& value);

}  // namespace noclobber
