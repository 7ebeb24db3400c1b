// Results of steps: fresh storages, and the metadata that the dump gives.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

const Type* said(const Tracer& t, const Call& call, std::size_t result);
std::optional<std::vector<PolyId>> said_strides(Tracer& t, const Type& type, const Shape& shape);
/// The next key with that stem: the stem and a count.
StorageKey fresh_key(Tracer& t, std::string_view stem);
Binding fresh(Tracer& t, const Shape& shape, Dtype dtype, const std::optional<std::vector<PolyId>>& strides);
std::optional<Binding> fresh_for(Tracer& t, const Call& call, std::size_t result,
                                 const std::optional<InferredMeta>& rule);
std::optional<Binding> unwritten_for(Tracer& t, const Call& call, const std::optional<InferredMeta>& rule);
void bind(Tracer& t, const Call& call, std::size_t result, Binding bound);
void bind_view(Tracer& t, const Call& call, std::size_t result, Binding bound);

}  // namespace noclobber::effects
