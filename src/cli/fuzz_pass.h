// `fuzz --pass` and `fuzz --planner`: a campaign against a given pass or memory planner.
#pragma once
#include "src/check/check.h"
#include "src/run/options.h"

namespace noclobber {

/// Exit code: 0 no finding, 1 findings, 2 a usage error or a pass that cannot be run, 4 a soundness alarm,
/// 130 interrupted.
int run_fuzz_pass(const Options& options, const CheckOptions& check);
/// `--emit` without a pass. Exit code 2: no program could be made or written.
int run_emit(const Options& options);

}  // namespace noclobber
