// What the streams are connected to.
#pragma once
#include <string_view>

#include "src/report/style.h"
#include "src/run/options.h"

namespace noclobber {

/// A variable of the environment; "" if it is not set.
std::string_view environment(const char* name);

/// How standard output is to be written to. Colours: --color, else NO_COLOR (no), CLICOLOR_FORCE (yes), else
/// a terminal that is not dumb. Width: COLUMNS, else that of the terminal, else 100. Unicode: what the locale
/// says.
Look look_of(const Options& options);
/// May a line of standard error be redrawn?
bool can_redraw();

}  // namespace noclobber
