// Inputs match by name, but a name is no evidence of a constant's contents. Only the contents in the graphs
// are.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// Makes constants of one name with different contents two inputs of both graphs; `before` reads its own by
/// another name. Adds to `one_sided` a constant whose contents one graph alone gives, if both graphs use it
/// (runs of both then have those contents), and a constant with different contents in a shared storage, if
/// either graph uses it. ensure: nothing changes if both graphs give the same contents, or neither gives any.
void tell_constants_apart(Case& value);

}  // namespace noclobber
