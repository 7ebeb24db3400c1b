// Higher-order operators. cond and invoke_subgraph with bodies that only compute become one opaque step,
// whose key contains the texts of the bodies.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void control(Tracer& t, const Step& step, std::uint32_t number);

}  // namespace noclobber::effects
