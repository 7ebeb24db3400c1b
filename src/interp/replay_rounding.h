// Which differences rounding alone may explain.
#pragma once
#include "src/interp/replay_expectation.h"

namespace noclobber {

/// Of values: is the gap larger than what rounding leaves of numbers as large as the largest of the result?
bool is_beyond_rounding(const Difference& difference, const Expectation& expected);

}  // namespace noclobber
