// Reader and writer of noclobber.case/1.
#pragma once
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/graph/case.h"

namespace noclobber {

/// error: `where` is the JSON pointer of the first fault.
Result<Case> read_case_json(std::string_view text);
/// ensure: read_case_json(write_case_json(c)) == c up to member order.
std::string write_case_json(const Case& value);

}  // namespace noclobber
