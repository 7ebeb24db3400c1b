// Operators whose result is one scalar everywhere, undefined, or pieces of the argument at other places.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void moved(Tracer& t, const Call& call);
bool moved_in_place(Tracer& t, const Call& call);
std::string scalar_text(const Tracer& t, const Arg& given, Dtype dtype);
void fill_into(Tracer& t, const Call& call);
void fill(Tracer& t, const Call& call);
void empty(Tracer& t, const Call& call);

}  // namespace noclobber::effects
