// From what is wrong with a plan to the fields of a record.
#pragma once
#include "src/check/check.h"
#include "src/plan/table.h"
#include "src/report/record.h"

namespace noclobber {

/// Faults become refuted findings, open questions reasons; obligations are counted. `capacity`: of the arena
/// of a table, 0 for none.
void report_plan(CheckRecord& record, const Case& value, const PlanAnswer& answer, std::int64_t capacity = 0);

/// A plan table against its instance (without rows: none) and the arena's size (0: not limited). Writes the
/// certificate that the options ask for.
CheckRecord check_plan_table(const PlanTable& table, const PlanTable& instance, std::int64_t capacity,
                             const CheckOptions& options);

}  // namespace noclobber
