#include "src/effects/shown.h"

#include "src/effects/boundary.h"
#include "src/effects/call_text.h"
#include "src/effects/results.h"
#include "src/effects/tracer.h"

namespace noclobber::effects {

/// Makes the only result a view of unknown elements of operand `base`.
void shows_unknown(Tracer& t, const Call& call, const Parts& parts, std::size_t base) {
  const auto bound = fresh_for(t, call, 0, std::nullopt);
  const Binding& of = parts.operands[base].bound;
  // The elements may depend on the layout of `of`, so that its strides are part of the key.
  const bool whole = of.view.maps.empty() && of.strides && !t.wide(of.view.storage);
  const OpDecl* const declared = call.declared;
  const bool pure = declared != nullptr && declared->pure && parts.operands.size() == 1;
  if (!bound || !whole || !pure || t.wide(bound->view.storage))
    return t.unknown("unsupported-op", call.step->op + " (a view of elements that are not known)");
  Shadow shadow{of.view, bound->view, attributes(t, call) + ";shown"};
  reaches(t, of.view.storage, true);
  for (const PolyId stride : *of.strides) shadow.key += ";" + size_text(t.space, stride);
  t.trace.storages[bound->view.storage].key = kShadow + std::to_string(t.shadows.size());
  t.storages.layouts[bound->view.storage].strides.reset();
  t.shadows.emplace(bound->view.storage, std::move(shadow));
  refresh_one(t, bound->view.storage, call.number, of.since);
  bind(t, call, 0, *bound);
}

/// `reaching`: the step of the Trace whose beginning defines what the view holds.
void refresh_one(Tracer& t, StorageId shadow, std::uint32_t origin, std::uint32_t reaching) {
  const Shadow& what = t.shadows.at(shadow);
  if (t.is_shadow(what.of.storage)) refresh_one(t, what.of.storage, origin, t.now());
  TraceStep step;
  step.key = what.key;
  step.reads = {what.of};
  step.writes = {what.itself};
  step.access = {{Access::any_time}};
  step.origin = origin;
  if (t.request.names_are_values) step.reaching = {reaching};
  t.trace.steps.push_back(std::move(step));
}

/// Called before a step: updates the shadows that it reads. A step that writes a shadow, or what a shadow
/// that it reads is a view of, is not modelled.
void refresh(Tracer& t, const TraceStep& step) {
  std::set<StorageId> due, behind;
  for (const TraceView& read : step.reads)
    if (t.is_shadow(read.storage)) due.insert(read.storage);
  for (StorageId at : due)
    for (; t.is_shadow(at); at = t.shadows.at(at).of.storage)
      behind.insert(at), behind.insert(t.shadows.at(at).of.storage);
  for (const TraceView& write : step.writes)
    if (behind.contains(write.storage) || t.is_shadow(write.storage))
      t.unknown("unsupported-op", "a write to elements that are not known");
  for (const StorageId at : due) refresh_one(t, at, step.origin, t.now());
}

}  // namespace noclobber::effects
