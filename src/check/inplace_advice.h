// In-place rewrites that a graph does not use: which of them would be safe, and how many bytes they would
// save.
#pragma once
#include "src/check/check.h"

namespace noclobber {

/// Tries them in listed order, each on top of those already proved, so all safe ones hold together. Bound:
/// 200 steps are tried. require: `value` as it was read, without the operators that prepare_case() declares.
InplaceLint advise_inplace(const Case& value, const CheckOptions& options);

}  // namespace noclobber
