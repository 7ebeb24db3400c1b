// Pictures of a finding for a terminal, drawn from its record alone.
#pragma once
#include <string>

#include "src/report/record.h"

namespace noclobber {

/// Steps run from left to right, with a lane per storage and a bar per name; a plan has a row per buffer.
/// Each line ends with a newline. "" if the finding has no lanes and no plan.
std::string lanes_text(const Finding& finding, const Look& look);

}  // namespace noclobber
