// Declared views of elements that nobody knows.
//
//   v = zoo.view(x)    storage of v's own, the shadow: v's elements, as a function of all of x
//   x.add_(1)
//   y = relu(v)        shadow <- zoo.view(x) once more, then y <- relu(shadow)
//
// Two graphs agree on v where they agree on x. Nobody may write through v, and v may be returned only where
// it does not matter what outputs share.
#include "src/effects/builder.h"

namespace noclobber {

/// The only result shows operand `base`.
void Builder::shows_unknown(const Call& call, const Parts& parts, std::size_t base) {
  const auto bound = fresh_for(call, 0, std::nullopt);
  const Binding& of = parts.operands[base].bound;
  // Which elements it shows may depend on how `of` lies in memory: the key says that as well.
  const bool whole = of.view.maps.empty() && of.strides && !wide(of.view.storage);
  const OpDecl* const declared = call.declared;
  const bool pure = declared != nullptr && declared->pure && parts.operands.size() == 1;
  if (!bound || !whole || !pure || wide(bound->view.storage))
    return unknown("unsupported-op", call.step->op + " (a view of elements that are not known)");
  Shadow shadow{of.view, bound->view, attributes(call) + ";shown"};
  reaches(of.view.storage, true);
  for (const PolyId stride : *of.strides) shadow.key += ";" + size_text(space_, stride);
  trace_.storages[bound->view.storage].key = kShadow + std::to_string(shadows_.size());
  layouts_[bound->view.storage].strides.reset();
  shadows_.emplace(bound->view.storage, std::move(shadow));
  refresh_one(bound->view.storage, call.number, of.since);
  bind(call, 0, *bound);
}

/// `means`: the step after which the name of what is shown was made.
void Builder::refresh_one(StorageId shadow, std::uint32_t origin, std::uint32_t means) {
  const Shadow& what = shadows_.at(shadow);
  if (is_shadow(what.of.storage)) refresh_one(what.of.storage, origin, now());
  TraceStep step;
  step.key = what.key;
  step.reads = {what.of};
  step.writes = {what.itself};
  step.access = {{Access::any_time}};
  step.origin = origin;
  if (request_.names_are_values) step.means = {means};
  trace_.steps.push_back(std::move(step));
}

/// Before a step runs: what it is shown is brought up to date. A step that stores into what a shadow stands
/// for, or into a shadow, is not modelled.
void Builder::refresh(const TraceStep& step) {
  std::set<StorageId> due, behind;
  for (const TraceView& read : step.reads)
    if (is_shadow(read.storage)) due.insert(read.storage);
  for (StorageId at : due)
    for (; is_shadow(at); at = shadows_.at(at).of.storage)
      behind.insert(at), behind.insert(shadows_.at(at).of.storage);
  for (const TraceView& write : step.writes)
    if (behind.contains(write.storage) || is_shadow(write.storage))
      unknown("unsupported-op", "a write to elements that are not known");
  for (const StorageId at : due) refresh_one(at, step.origin, now());
}

}  // namespace noclobber
