// What an opaque step computes, as text: two steps of the same text are the same function of their operands.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

std::string attribute(const Tracer& t, const Arg& arg);
std::string attributes(const Tracer& t, const Call& call);
/// A dtype and its extents, "f32[2,n,]".
std::string type_text(const Tracer& t, const Binding& bound);
/// The type_text() of each tensor argument but out=, in order.
std::string argument_types(const Tracer& t, const Call& call);

}  // namespace noclobber::effects
