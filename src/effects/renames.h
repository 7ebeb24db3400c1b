// Operators that bind a name to another view, and operators that sometimes return their argument itself.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void rebind(Tracer& t, const Call& call);
void set(Tracer& t, const Call& call);
void resize(Tracer& t, const Call& call);
void view_each(Tracer& t, const Call& call);
std::optional<bool> is_itself(Tracer& t, const Call& call);
void self_if(Tracer& t, const Call& call, std::optional<bool> itself);

}  // namespace noclobber::effects
