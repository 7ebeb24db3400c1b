// Calls of delegates: operators of their own. Results depend on the arguments and, unless the payload says
// otherwise, on state that persists in the delegate.
#pragma once
#include "src/lower/pte/builder.h"

namespace noclobber {

void pair_delegates(PteBuilder& p);
void delegate(PteBuilder& p, const PteInstruction& instruction);

}  // namespace noclobber
