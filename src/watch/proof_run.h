// Runs a proved case once and compares the run with its Traces.
#pragma once
#include <string>

#include "src/effects/effects.h"
#include "src/interp/confirm.h"

namespace noclobber {

struct ProofRun {
  bool ran = false;
  std::string contradiction;  // how the run contradicts the proof; "" if it does not
};

/// `running`: the Traces of the case, made without identities. `exact`, `work`: as in ConfirmOptions.
ProofRun run_proof(const Case& value, const Traced& running, const Space& space, const OpSet& ops, bool exact,
                   std::int64_t work);

/// The same without Traces: the branches of the case were expanded, so it has no Trace as a whole.
ProofRun run_unwatched(const Case& value, bool exact, std::int64_t work);

}  // namespace noclobber
