// Converts the faults of a plan into fields of a record.
#pragma once
#include "src/check/check.h"
#include "src/plan/table.h"
#include "src/report/record.h"

namespace noclobber {

/// Adds a refuted finding for each fault and a reason for each open question, and counts the obligations.
/// `capacity`: the arena size of a table in bytes, 0 if there is none.
void report_plan(CheckRecord& record, const Case& value, const PlanAnswer& answer, std::int64_t capacity = 0);

/// Checks a plan table against its instance (no rows: there is none) and the size of its arena in bytes (0:
/// unlimited). Writes the certificate that the options ask for.
CheckRecord check_plan_table(const PlanTable& table, const PlanTable& instance, std::int64_t capacity,
                             const CheckOptions& options);

}  // namespace noclobber
