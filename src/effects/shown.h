// Declared views whose elements are not known.
//
//   v = zoo.view(x)    storage of v's own, the shadow: v's elements, as a function of all of x
//   x.add_(1)
//   y = relu(v)        shadow <- zoo.view(x) once more, then y <- relu(shadow)
//
// Two graphs agree on v if they agree on x. Writes through v are not modelled, and v may be returned only if
// it does not matter what outputs share.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void shows_unknown(Tracer& t, const Call& call, const Parts& parts, std::size_t base);
void refresh_one(Tracer& t, StorageId shadow, std::uint32_t origin, std::uint32_t reaching);
void refresh(Tracer& t, const TraceStep& step);

}  // namespace noclobber::effects
