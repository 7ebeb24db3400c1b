// Where what differs by rounding or by the sign of a zero may be taken for the same.
#pragma once
#include <set>
#include <string>

#include "src/effects/effects.h"

namespace noclobber {

/// May these assumptions (Traced::inexact) be made of the two Traces? A number that differs in its last digit
/// has other bits, and so has -0, which some operators tell from 0 as well: not where somebody looks at them.
bool may_assume(const std::set<std::string>& what, const Traced& traced);

}  // namespace noclobber
