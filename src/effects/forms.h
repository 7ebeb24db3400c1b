// Which operators are called with which types. What `before` calls, PyTorch takes; of what `after` alone
// calls it must have been seen, as nobody may use its result and so nothing else is asked of it.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void note_form(Tracer& t, const Call& call);

}  // namespace noclobber::effects
