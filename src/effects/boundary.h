// What a graph is given and what leaves it.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

/// What the Trace so far reaches, and where its outputs lie.
Reached reached_by(const Tracer& t);
void reaches(Tracer& t, StorageId storage, bool from_start);
void add_input(Tracer& t, const Input& input);
void add_finals(Tracer& t);
void add_outputs(Tracer& t);

}  // namespace noclobber::effects
