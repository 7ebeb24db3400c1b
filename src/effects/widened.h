// Conversions to a wider type and back: numbers that are the same in both.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

/// What `from` was converted from, where that is still there and nothing of it was lost (but payloads of
/// NaN). Where identities are not used: `from`, and in `noted` the type that it might as well be converted
/// from.
Binding unwidened(Tracer& t, Binding from, Dtype to, std::optional<Dtype>& noted);
/// Remembers that all of `to` are the numbers of `from`, as the last step left them.
void note_widened(Tracer& t, const Binding& to, const Binding& from);

}  // namespace noclobber::effects
