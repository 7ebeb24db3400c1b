// Calls that may raise: each writes a storage of its own with a function of what it may raise over, so that
// two calls that are equal there raise alike. trace_case pairs those of the two graphs.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void hash_step(Tracer& t, const TraceStep& step);
void note_raising(Tracer& t, const Call& call);

}  // namespace noclobber::effects
