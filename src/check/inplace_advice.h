// In-place rewrites that were not taken: which of them would have been safe, and what they would save.
#pragma once
#include "src/check/check.h"

namespace noclobber {

/// Tries them in listed order, each on top of those that were proved before it: all safe ones hold at once.
/// Bound: 200 steps are tried. require: `value` as it was read, without declarations of our own.
InplaceLint advise_inplace(const Case& value, const CheckOptions& options);

}  // namespace noclobber
