// Inputs match by name, but a name is no evidence of what a constant holds: what the two graphs say is.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// Constants of one name that hold different contents become two inputs of both graphs: `before` reads its
/// own by another name. What one graph alone gives the contents of is noted in `one_sided` where both use it;
/// runs of either have those contents then. ensure: nothing changes where both say the same, or nothing.
void tell_constants_apart(Case& value);

}  // namespace noclobber
