// Checks the form of a PLAN of noclobber.case/1; a Case only records that there is one.
#pragma once
#include "src/formats/case_json_graph.h"
#include "src/formats/json.h"
#include "src/graph/case.h"

namespace noclobber {

/// Offsets and sizes may be negative: such a plan is readable and wrong.
void check_plan(const OrderedJson& json, const JsonAt& at, const Case& value, const CaseJsonContext& context,
                JsonFaults& faults);

}  // namespace noclobber
