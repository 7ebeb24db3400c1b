// Pictures of a finding for a terminal, from the records alone.
#pragma once
#include <string>

#include "src/report/record.h"

namespace noclobber {

/// Lines that end with a newline: steps from left to right, a lane per storage, a bar per name; of a plan, a
/// row per buffer. "" where the finding has nothing to draw.
std::string lanes_text(const Finding& finding, const Look& look);

}  // namespace noclobber
