// Decides which differences rounding alone may explain.
#pragma once
#include "src/interp/replay_expectation.h"

namespace noclobber {

/// For a value difference: true if the gap is larger than rounding explains among numbers as large as the
/// largest of the target.
bool is_beyond_rounding(const Difference& difference, const Expectation& expected);

/// True if the graph and the bodies of its steps compute with integers and booleans alone, by the types of
/// their values. False if a value has no type.
bool only_whole_numbers(const Case& value, const Graph& body);

}  // namespace noclobber
