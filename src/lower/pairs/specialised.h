// Sizes that one of two graphs gives as a number.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// Where an input has the size s0 in `before` and 8 in `after`, the compiler has taken s0 for 8: `after` is
/// meant for no other size, and that is an assumption with a name. Not where the range excludes it, or two
/// inputs say different things: then the sizes are wrong. require: inputs match by name.
void assume_specialised(Case& value);

}  // namespace noclobber
