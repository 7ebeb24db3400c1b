// View operators: a new name for elements of a storage.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

std::vector<Map> flat(Tracer& t, const Binding& base);
std::optional<Binding> viewed(Tracer& t, const Binding& base, const ViewMaps& maps);
std::optional<std::vector<Binding>> views_of(Tracer& t, const Call& call, std::string_view op,
                                             const Binding& base);
void view(Tracer& t, const Call& call);
void may_view(Tracer& t, const Call& call);
void view_copy(Tracer& t, const Call& call);
std::optional<Binding> broadcast_to(Tracer& t, const Binding& from, const Shape& shape);

}  // namespace noclobber::effects
