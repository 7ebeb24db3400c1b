#include "src/effects/widened.h"

namespace noclobber::effects {

Binding unwidened(Tracer& t, Binding from, Dtype to, std::optional<Dtype>& noted) {
  const bool used = t.request.use != Identities::none;
  Binding kept = from;
  for (auto at = t.known.widened.find(from.view.storage); at != t.known.widened.end();
       at = t.known.widened.find(from.view.storage)) {
    const auto& [source, held, made] = at->second;
    // Bits that are viewed as another type are other numbers.
    const bool same = from.dtype == held && from.view.lanes == 0 &&
                      t.known.of(from.view.storage).written == made &&
                      t.known.of(source.view.storage).written < made;
    if (!same || !find_identity(Identity::Form::converts, "")->exact.contains(source.dtype) ||
        !converts_alike(source.dtype, from.dtype, to))
      break;
    ++t.identities.simpler;
    if (used) t.identities.built_by.emplace("convert-wider");
    if (from.dtype != to) noted = source.dtype;
    Binding next = source;
    next.view.maps.append(from.view.maps);
    next.view.shape = from.view.shape;
    from = std::move(next);
  }
  return used ? from : kept;
}

void note_widened(Tracer& t, const Binding& to, const Binding& from) {
  const bool whole = to.view.maps.empty() && to.view.lanes == 0 && from.view.lanes == 0;
  if (whole && to.dtype != from.dtype && holds_all(to.dtype, from.dtype) &&
      to.view.storage != from.view.storage && !t.shadows.contains(from.view.storage))
    t.known.widened[to.view.storage] = {from, to.dtype, t.known.of(to.view.storage).written};
}

}  // namespace noclobber::effects
