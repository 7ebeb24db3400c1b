// The diagnosis of a name that no statement defines.
#pragma once
#include "src/interp/replay.h"
#include "src/report/record.h"

namespace noclobber {

/// Rewrites a finding about an uninitialized read, if what is read is a name without a definition.
void tell_unbound(Finding& finding, const Case& value, const Witness& witness);

}  // namespace noclobber
