// The certificate of a plan given as a table: its rows in the order of time, for checker/plan/plan.cpp.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "src/graph/placement.h"
#include "src/values/certificate.h"

namespace noclobber {

/// `about`: the header. `below`: per row, the row next below it when it begins to live, or 0xffffffff for
/// none. `capacity`: in bytes, 0 for none. Returns "" if a number exceeds 2^57 in magnitude.
std::string certified_plan(const Certificate& about, std::span<const Placement> rows,
                           const std::vector<std::uint32_t>& below, std::int64_t capacity);

}  // namespace noclobber
