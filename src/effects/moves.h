// Operators that only move data, as moves and fills of the Trace.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

bool out_variant(Tracer& t, const Call& call);
void clone(Tracer& t, const Call& call);
void convert(Tracer& t, const Call& call);
void may_convert(Tracer& t, const Call& call);
void copy_into(Tracer& t, const Call& call);
void copy_each(Tracer& t, const Call& call);
void copy(Tracer& t, const Call& call);
void view_scatter(Tracer& t, const Call& call);
void concatenate(Tracer& t, const Call& call, bool stacked);

}  // namespace noclobber::effects
