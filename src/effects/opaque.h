// Operators modelled as functions of what they read; the schema gives their reads and writes.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

bool elementwise(const Call& call);
void tell_sizes(Tracer& t, std::uint32_t number, TraceStep& step);
std::vector<InferredMeta> inferred(const Tracer& t, const Call& call, const std::vector<TensorMeta>& tensors);
void opaque(Tracer& t, const Call& given);
void describe(Tracer& t, const Call& call);
void normalize_running(Tracer& t, Call call);

}  // namespace noclobber::effects
