// A failed internal check ends the run with exit code 4; it is never reported as a verdict.
#pragma once
#include <string_view>

namespace noclobber {

/// Prints `file:line: what` to standard error and ends the process with exit code 4.
[[noreturn]] void internal_error(const char* file, int line, std::string_view what);

}  // namespace noclobber

/// Ends the run by internal_error() if `condition` is false. Compiled into release builds, too.
#define NC_CHECK(condition, what)                                            \
  do {                                                                       \
    if (!(condition)) ::noclobber::internal_error(__FILE__, __LINE__, what); \
  } while (false)
