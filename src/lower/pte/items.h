// Integers that a program reads out of tensors. The functional program has a symbol for each.
#pragma once
#include "src/lower/pte/builder.h"

namespace noclobber {

void item(PteBuilder& p, const std::string& op, const PteInstruction& instruction);

}  // namespace noclobber
