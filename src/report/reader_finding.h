// Readers of the larger members of a check record. They throw std::exception if a member has the wrong type.
#pragma once
#include "src/report/json_parts.h"
#include "src/report/record.h"

namespace noclobber {

FindingPlace read_place(const Json& json);
std::optional<Acceptance> read_accepted(const Json& json);
Finding read_finding(const Json& json);

}  // namespace noclobber
