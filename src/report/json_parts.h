// Parts of records that several kinds share.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/report/record.h"

namespace noclobber {

/// "6d0f", or "6d0f#2" of the second of a run.
std::string counted(const Finding& finding);
nlohmann::ordered_json finding_json(const Finding& finding);

}  // namespace noclobber
