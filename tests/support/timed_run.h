// How long the interpreter takes for the longest graph of a log, on the shapes that were recorded.
#pragma once
#include <string>

namespace noclobber::testing {

/// "1348 steps 0.72 s ran", or why it did not run; for tools/bench.py. The seconds are processor time.
std::string timed_run(const std::string& log);

}  // namespace noclobber::testing
