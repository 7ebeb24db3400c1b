// Lowers jumps that form a condition with two arms to one step with two bodies:
//
//   JumpFalse c -> B;  arm A, moves into results;  JumpFalse false -> E;  B: arm B, moves;  E:
#pragma once
#include "src/lower/pte/builder.h"

namespace noclobber {

std::size_t branch(PteBuilder& p, std::size_t at, std::size_t end);

}  // namespace noclobber
