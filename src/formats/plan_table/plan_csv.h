// A plan as a table, one buffer a line.
#pragma once
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/graph/placement.h"

namespace noclobber {

/// `id,lower,upper,size,offset`; without `offset` it is a problem, whose buffers must all be placed. error:
/// `where` is "line N, byte M".
Result<PlanTable> read_plan_csv(std::string text);
bool is_plan_csv(std::string_view text);

}  // namespace noclobber
