// One run, from its inputs to the exit code.
#pragma once
#include "src/run/inputs.h"
#include "src/run/options.h"

namespace noclobber {

/// Checks all inputs, writes the requested reports and returns the exit code. With --against, first makes a
/// run over that input and then compares the two.
int run_source(WorkSource& source, const Options& options, bool advises = false);

}  // namespace noclobber
