// Operators over lists, expanded to one call per item.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

std::optional<Shape> computed_item(Tracer& t, const Call& call, const std::vector<InferredMeta>& rules,
                                   std::size_t k);
bool each_item(Tracer& t, const Call& call);

}  // namespace noclobber::effects
