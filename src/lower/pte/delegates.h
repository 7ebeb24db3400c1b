// Calls of delegates: operators of their own, that make results of what they are given and, unless their
// payload tells otherwise, of what lasts in them.
#pragma once
#include "src/lower/pte/builder.h"

namespace noclobber {

void pair_delegates(PteBuilder& p);
void delegate(PteBuilder& p, const PteInstruction& instruction);

}  // namespace noclobber
