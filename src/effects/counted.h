// Sums so far of one number everywhere, as Inductor counts them; and calls that the graph does not have.
#pragma once
#include <vector>

#include "src/effects/tracer.h"
#include "src/ops/identities.h"

namespace noclobber::effects {

Arg aside(Tracer& t, const Call& call, const char* op, std::vector<Arg> arguments);
bool counted_up(Tracer& t, const Call& call, const Identity& row, const InferredMeta& meta);

}  // namespace noclobber::effects
