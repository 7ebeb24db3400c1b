// How long parts of the program take, in processor time: for tools/.
#pragma once
#include <string>

namespace noclobber::testing {

/// The interpreter on the longest graph of a log, on the shapes that were recorded: "1348 steps 0.72 s ran",
/// or why it did not run.
std::string timed_run(const std::string& log);

/// From the graphs of each case in `folder` to what the rules leave open, without reading and replay:
/// "2000 cases, median 80 us, 99 % within 400 us, 99.9 % under 1 ms".
std::string timed_rules(const std::string& folder);

}  // namespace noclobber::testing
