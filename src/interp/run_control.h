// Control flow: bodies run on the operands' own storages, and what they return may share them.
#pragma once
#include "src/interp/run_machine.h"

namespace noclobber {

bool run_higher_order(Machine& m, Frame& frame, const Step& step);

}  // namespace noclobber
