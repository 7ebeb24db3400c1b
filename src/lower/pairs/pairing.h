// `compare BEFORE AFTER`: two graphs from two files become one Case.
#pragma once
#include <string>

#include "src/base/result.h"
#include "src/graph/case.h"
#include "src/lower/pairs/side.h"

namespace noclobber {

/// Inputs match by name; if the names differ, by position. Symbols match as the sizes of inputs do; their
/// ranges are those of `before`.
/// error: inputs do not match, or the two files declare one operator differently (`where` names it).
Result<Case> pair_of(Side before, Side after);

}  // namespace noclobber
