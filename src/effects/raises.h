// Calls that may raise. Each writes a storage of its own with a function of what decides whether it raises,
// so that two calls that write equal contents raise alike. trace_case pairs the calls of both graphs.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void hash_step(Tracer& t, const TraceStep& step);
void note_raising(Tracer& t, const Call& call);

}  // namespace noclobber::effects
