// One run from its inputs to the exit code.
#pragma once
#include "src/run/inputs.h"
#include "src/run/options.h"

namespace noclobber {

/// Checks everything, reports as the options say, and returns the exit code. With --against the run is
/// compared with one over that, which is made first.
int run_source(WorkSource& source, const Options& options, bool advises = false);

}  // namespace noclobber
