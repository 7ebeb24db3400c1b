// Cumulative sums of a constant tensor, computed as Inductor does; and calls that the graph does not contain.
#pragma once
#include <vector>

#include "src/effects/tracer.h"
#include "src/ops/identities.h"

namespace noclobber::effects {

Arg aside(Tracer& t, const Call& call, const char* op, std::vector<Arg> arguments);
bool counted_up(Tracer& t, const Call& call, const Identity& row, const InferredMeta& meta);

}  // namespace noclobber::effects
