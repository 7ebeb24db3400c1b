// `fuzz --pass`: a campaign against somebody's pass.
#pragma once
#include "src/check/check.h"
#include "src/run/options.h"

namespace noclobber {

/// Exit code: 0 nothing was found, 1 the pass was convicted, 2 it cannot be run, 4 a soundness alarm,
/// 130 interrupted.
int run_fuzz_pass(const Options& options, const CheckOptions& check);
/// `--emit` alone. 2: no program could be made or written.
int run_emit(const Options& options);

}  // namespace noclobber
