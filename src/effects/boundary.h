// Inputs, outputs and final contents of a graph, as parts of its Trace.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

/// Returns `t.reached` and the layout of each output; an output without a binding has none.
Reached reached_by(const Tracer& t);
void reaches(Tracer& t, StorageId storage, bool from_start);
void add_input(Tracer& t, const Input& input);
void add_finals(Tracer& t);
void add_outputs(Tracer& t);

}  // namespace noclobber::effects
