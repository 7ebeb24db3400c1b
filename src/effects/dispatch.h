// Calls, for a step of a graph, the function for the meaning of its operator.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void run(Tracer& t, const Step& step, std::uint32_t number);
Call call_of(const Tracer& t, const Step& step, const Schema& schema, std::vector<Arg> arguments,
             std::uint32_t number);
void dispatch(Tracer& t, const Call& call);

}  // namespace noclobber::effects
