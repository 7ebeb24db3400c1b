// The terminal that the streams are connected to.
#pragma once
#include <string_view>

#include "src/report/style.h"
#include "src/run/options.h"

namespace noclobber {

/// The value of an environment variable; "" if it is not set.
std::string_view environment(const char* name);

/// The Look of standard output. Colours: --color, else NO_COLOR (no), CLICOLOR_FORCE (yes), else a terminal
/// that is not dumb. Width: COLUMNS, else that of the terminal, both clamped to 40 to 1000; else 100.
/// Unicode: by the locale.
Look look_of(const Options& options);
/// True if a line of standard error can be redrawn.
bool can_redraw();

}  // namespace noclobber
