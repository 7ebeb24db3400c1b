// Reader and writer of the PLAN of noclobber.case/1.
#pragma once
#include "src/formats/case/case_json_graph.h"
#include "src/graph/case.h"
#include "src/text/json.h"

namespace noclobber {

/// Offsets and sizes may be negative: such a plan is read, and is wrong.
Plan read_plan(const OrderedJson& json, const JsonAt& at, const Case& value, const CaseJsonContext& context,
               JsonFaults& faults);
OrderedJson plan_json(const Plan& plan);

}  // namespace noclobber
