// Parts of records that several kinds share.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/report/record.h"

namespace noclobber {

using Json = nlohmann::ordered_json;

/// A record of that kind, to be filled.
Json record_of(const char* kind);
/// As one line without a newline; names may hold any bytes.
std::string one_line(const Json& json);
/// "6d0f", or "6d0f#2" of the second of a run.
std::string counted(const Finding& finding);
Json finding_json(const Finding& finding);

}  // namespace noclobber
