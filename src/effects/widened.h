// Conversions to a wider type and back, which keep every number.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

/// The view that `from` was converted from, if it is unchanged since and the conversion lost nothing (but
/// payloads of NaN). Without identities: `from`, and in `noted` the type to convert from instead.
Binding unwidened(Tracer& t, Binding from, Dtype to, std::optional<Dtype>& noted);
/// Records that all of `to` holds the numbers of `from`, as of the last step, if its type is wider.
void note_widened(Tracer& t, const Binding& to, const Binding& from);

}  // namespace noclobber::effects
