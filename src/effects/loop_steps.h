// A loop in the Trace: one opaque step that names the checks of its bodies.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void say_where_loops_lie(Tracer& t);
void loop(Tracer& t, const Step& step, std::uint32_t number);

}  // namespace noclobber::effects
