// Records which operators are called with which dtypes. PyTorch is taken to accept every call of `before`. A
// form that only `after` has must have been observed to be accepted: its result may be unused, so that no
// other obligation covers it.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void note_form(Tracer& t, const Call& call);

}  // namespace noclobber::effects
