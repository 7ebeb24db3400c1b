// What a diagnosis says of a name that no statement defines.
#pragma once
#include "src/interp/replay.h"
#include "src/report/record.h"

namespace noclobber {

/// Says it of a read of what nothing wrote, where that is so.
void tell_unbound(Finding& finding, const Case& value, const Witness& witness);

}  // namespace noclobber
