#include "src/cli/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace noclobber {

namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

bool wants_colour(bool no_color_option) {
  return !no_color_option && isatty(STDOUT_FILENO) != 0 && environment("NO_COLOR").empty() &&
         environment("TERM") != "dumb";
}

bool can_redraw() { return isatty(STDERR_FILENO) != 0 && environment("TERM") != "dumb"; }

}  // namespace noclobber
