// What a recording holds besides its links.
#pragma once

namespace noclobber {

/// How the id of a check ends whose `left_out` are promises that a pass broke.
inline constexpr const char* kInvariantsId = "invariants";

}  // namespace noclobber
