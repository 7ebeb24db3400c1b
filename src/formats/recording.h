// What a recording holds besides its links.
#pragma once

namespace noclobber {

/// The id of the check whose `left_out` are promises that a pass broke.
inline constexpr const char* kInvariantsId = "invariants";

}  // namespace noclobber
