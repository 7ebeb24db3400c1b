// Runs one step: resolves its arguments, runs a kernel, binds its results.
#pragma once
#include "src/interp/run_machine.h"

namespace noclobber {

void run_steps(Machine& m, Frame& frame);
void dispatch(Machine& m, Frame& frame, const Step& step, const Invocation& invocation);
void bind_results(Machine& m, Frame& frame, const Step& step, const Invocation& invocation,
                  std::span<const Datum> results);

}  // namespace noclobber
