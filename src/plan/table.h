// A plan as a table of numbers. There is no graph to derive live ranges and sizes from, so they are taken as
// stated.
#pragma once
#include <cstdint>
#include <optional>

#include "src/graph/placement.h"
#include "src/plan/plan.h"

namespace noclobber {

struct TableLimits {
  std::optional<std::int64_t> capacity;  // bytes; absent: no limit
  const PlanTable* instance = nullptr;   // required names, with least sizes and live ranges
};

/// Cost: n log n time, about 60 bytes a row besides the table.
PlanAnswer check_table(const PlanTable& table, const TableLimits& limits);

}  // namespace noclobber
