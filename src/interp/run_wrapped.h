// Operators that wrap a call of another one: auto_functionalized, auto_functionalized_v2, with_effects.
#pragma once
#include "src/interp/run_machine.h"

namespace noclobber {

Datum cloned(Machine& m, const Frame& frame, const Datum& datum);
void run_auto_functionalized(Machine& m, Frame& frame, const Step& step, bool second);
void run_with_effects(Machine& m, Frame& frame, const Step& step);

}  // namespace noclobber
