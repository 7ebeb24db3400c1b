// Checks of a recording besides its links.
#pragma once

namespace noclobber {

/// The last part of the id of a check whose `left_out` lists promises that a pass broke.
inline constexpr const char* kInvariantsId = "invariants";

}  // namespace noclobber
