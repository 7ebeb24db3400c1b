// What the author of a payload is told, which is a program of registers.
#pragma once
#include <string>

#include "src/graph/case.h"
#include "src/report/record.h"

namespace noclobber {

/// The first instruction that stands for no operator, and why; "": each does.
std::string odd_help(const Case& value);
/// Which instruction needs another slot. require: `finding.clobber`.
std::string slot_help(const Finding& finding);

}  // namespace noclobber
