// Operators that run by the kernels of others: those that the reader of MLX payloads declares, and attention.
#pragma once
#include "src/interp/run_machine.h"

namespace noclobber {

/// False if the step is no such operator, or those kernels do not take its operands. Nothing has run then.
bool run_mlx(Machine& m, Frame& frame, const Step& step, const Invocation& invocation);
bool run_attention(Machine& m, Frame& frame, const Step& step, const Invocation& invocation);

}  // namespace noclobber
