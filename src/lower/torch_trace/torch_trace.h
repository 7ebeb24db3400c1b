// TORCH_TRACE logs.
#pragma once
#include <string>

#include "src/lower/checks.h"

namespace noclobber {

/// Never fails: `notes` lists what it cannot read. Graphs are parsed later, by TraceCheck::read(), as a log
/// holds many and each is needed only briefly.
TraceLog read_torch_trace(std::string text);

}  // namespace noclobber
