// JSON parts that several kinds of records share.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/report/record.h"

namespace noclobber {

using Json = nlohmann::ordered_json;

/// A record of that kind with `schema` and `kind` alone.
Json record_of(const char* kind);
/// One line without a newline. Invalid UTF-8 is replaced, since names may hold any bytes.
std::string one_line(const Json& json);
/// The fingerprint "6d0f"; "6d0f#2" for the second finding with it in a run.
std::string counted(const Finding& finding);
Json finding_json(const Finding& finding);

}  // namespace noclobber
