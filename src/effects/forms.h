// Records what operators are called with. PyTorch is taken to accept every call of `before`; of a call that
// only `after` has the result may be unused, so that no other obligation covers that PyTorch accepts it.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

/// Dtypes: a form that only `after` has must have been observed to be accepted.
void note_form(Tracer& t, const Call& call);

/// Sizes and numbers, of an opaque call for which no rule relates them: only a call of `before` that is given
/// the same is taken to be accepted.
void note_sizes(Tracer& t, const Call& call);

}  // namespace noclobber::effects
