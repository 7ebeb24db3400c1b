// Our own bugs end the run with exit code 4; they are never reported as an answer.
#pragma once
#include <string_view>

namespace noclobber {

/// Prints `file:line: what` to standard error and ends the process with exit code 4.
[[noreturn]] void internal_error(const char* file, int line, std::string_view what);

}  // namespace noclobber

/// Always on, in release too.
#define NC_CHECK(condition, what)                                            \
  do {                                                                       \
    if (!(condition)) ::noclobber::internal_error(__FILE__, __LINE__, what); \
  } while (false)
