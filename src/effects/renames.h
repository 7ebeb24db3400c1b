// Operators after which a name stands for another view, and those that are their argument now and then.
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
