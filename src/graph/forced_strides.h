// prims.inductor_force_stride_order(x, stride) returns x itself if it has these strides, else a copy that has
// them.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// Replaces the calls whose argument already has the strides, by its type, with `aten.alias`.
void show_forced_strides(Case& value);

}  // namespace noclobber
