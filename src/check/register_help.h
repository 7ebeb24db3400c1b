// Help for the author of a payload, which is a program of registers.
#pragma once
#include <string>

#include "src/graph/case.h"
#include "src/report/record.h"

namespace noclobber {

/// The first instruction that corresponds to no operator, and why; "" if each corresponds to one.
std::string odd_help(const Case& value);
/// States which instruction needs another slot. require: `finding.clobber`.
std::string slot_help(const Finding& finding);

}  // namespace noclobber
