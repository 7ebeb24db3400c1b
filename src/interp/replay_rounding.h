// Which differences rounding alone may explain.
#pragma once
#include "src/interp/replay_expectation.h"

namespace noclobber {

/// Of values: is the gap larger than what rounding leaves of numbers as large as the largest of the result?
bool is_beyond_rounding(const Difference& difference, const Expectation& expected);

/// Do the graph and the bodies that its steps run compute with whole numbers alone, as far as types are told?
/// A value without a type may be anything.
bool only_whole_numbers(const Case& value, const Graph& body);

}  // namespace noclobber
