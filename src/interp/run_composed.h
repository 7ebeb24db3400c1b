// Operators that are run by the kernels of others: what the reader of MLX payloads declares, and attention.
#pragma once
#include "src/interp/run_machine.h"

namespace noclobber {

/// False: the step is none of them, or of operands that those kernels do not take; nothing has run then.
bool run_mlx(Machine& m, Frame& frame, const Step& step, const Invocation& invocation);
bool run_attention(Machine& m, Frame& frame, const Step& step, const Invocation& invocation);

}  // namespace noclobber
