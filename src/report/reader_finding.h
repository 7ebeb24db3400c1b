// The larger members of a check record. They throw std::exception where a member has another type.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "src/report/record.h"

namespace noclobber {

FindingPlace read_place(const nlohmann::ordered_json& json);
std::optional<Acceptance> read_accepted(const nlohmann::ordered_json& json);
Finding read_finding(const nlohmann::ordered_json& json);

}  // namespace noclobber
