// `compare BEFORE AFTER`: two graphs from two files become one Case.
#pragma once
#include <string>

#include "src/base/result.h"
#include "src/graph/case.h"
#include "src/lower/pairs/side.h"

namespace noclobber {

/// Matches inputs by name, or by position if the names differ. Matches symbols by the sizes of matching
/// inputs; their ranges are those of `before`.
/// error: inputs do not match, or the two files declare one operator differently (`where` names it).
Result<Case> pair_of(Side before, Side after);

}  // namespace noclobber
