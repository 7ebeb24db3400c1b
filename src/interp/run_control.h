// Control flow: bodies run on the storages of the operands, and their results may share these.
#pragma once
#include "src/interp/run_machine.h"

namespace noclobber {

bool run_higher_order(Machine& m, Frame& frame, const Step& step);

}  // namespace noclobber
