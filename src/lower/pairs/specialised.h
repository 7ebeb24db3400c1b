// Sizes that are symbolic in one graph of a pair and a number in the other.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// If an input has the size s0 in `before` and 8 in `after`, the compiler specialised s0 to 8: `after` is
/// meant for no other size. Sets the range of s0 to 8 and adds the assumption. Does nothing if the range
/// excludes the number or two inputs disagree: the sizes are then wrong. require: inputs match by name.
void assume_specialised(Case& value);

}  // namespace noclobber
