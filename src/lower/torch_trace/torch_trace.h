// TORCH_TRACE logs.
#pragma once
#include <string>

#include "src/lower/checks.h"

namespace noclobber {

/// Never fails: what it cannot read is in `notes`. Graphs are left unread, as a log holds many and each is
/// wanted for a moment.
TraceLog read_torch_trace(std::string text);

}  // namespace noclobber
