// cond with bodies that only compute: an opaque operator keyed by what its bodies say.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void control(Tracer& t, const Step& step, std::uint32_t number);

}  // namespace noclobber::effects
