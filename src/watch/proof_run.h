// A proved case, run once and watched.
#pragma once
#include <string>

#include "src/effects/effects.h"
#include "src/interp/confirm.h"

namespace noclobber {

struct ProofRun {
  bool ran = false;
  std::string contradiction;  // what the run shows against the proof; "" for nothing
};

/// `running`: the Traces of the case without identities; `exact`: as in ConfirmOptions. `work`: as
/// in ConfirmOptions.
ProofRun run_proof(const Case& value, const Traced& running, const Space& space, const OpSet& ops, bool exact,
                   std::int64_t work);

/// Where no Traces of the whole are at hand: its branches were written out.
ProofRun run_unwatched(const Case& value, bool exact, std::int64_t work);

}  // namespace noclobber
