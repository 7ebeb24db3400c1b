// The certificate of a plan that is a table: its rows in the order of time, for checker/plan/plan.cpp.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "src/graph/placement.h"
#include "src/values/certificate.h"

namespace noclobber {

/// `about`: what the text begins with. `below`: per row, the row next below it when it begins to live, or the
/// largest number. `capacity`: 0 for none. "": a number is too large to be written.
std::string certified_plan(const Certificate& about, std::span<const Placement> rows,
                           const std::vector<std::uint32_t>& below, std::int64_t capacity);

}  // namespace noclobber
