// A plan as a table of numbers: nothing to recompute, so live ranges and sizes are taken as they are.
#pragma once
#include <cstdint>
#include <optional>

#include "src/graph/placement.h"
#include "src/plan/plan.h"

namespace noclobber {

struct TableLimits {
  std::optional<std::int64_t> capacity;  // bytes; absent: as large as you like
  const PlanTable* instance = nullptr;   // what must be placed, and how large and long at least
};

/// Cost: n log n time, about 60 bytes a row beside the table.
PlanAnswer check_table(const PlanTable& table, const TableLimits& limits);

}  // namespace noclobber
