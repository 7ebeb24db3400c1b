#include "src/second/direct_judge.h"

#include <algorithm>

#include "src/second/direct_access.h"
#include "src/second/direct_order.h"

namespace noclobber {

using DirectKind = Obligation::Kind;

const TraceStorage* partner_of(const Trace& trace, const TraceStorage& wanted) {
  const TraceStorage* out = nullptr;
  for (const TraceStorage& s : trace.storages) {
    if (s.start != wanted.start || s.key != wanted.key) continue;
    if (out != nullptr) return nullptr;
    out = &s;
  }
  return out;
}

bool DirectJudge::shown(const Obligation& o) {
  switch (o.kind) {
    case DirectKind::modelled:
      return false;
    case DirectKind::claim: {
      const TraceClaim& claim = (o.of_before ? *before_ : after_).claims[o.a];
      return equal_sizes(claim.said, claim.computed);
    }
    case DirectKind::frame:
      return frame();
    case DirectKind::type:
      return type(o.a);
    case DirectKind::value:
      return value(o.a);
    case DirectKind::exit:
      return exit(o.a);
    case DirectKind::store:
      return store(after_.steps[o.a]);
    case DirectKind::clean:
      return contents_.clean(DirectSide::after, o.a);
    case DirectKind::sharing:
      return o.of_before ? sharing(after_, *before_, o.a) : sharing(*before_, after_, o.a);
    case DirectKind::together:
      return o.of_before ? together(after_, *before_, o.a) : together(*before_, after_, o.a);
    case DirectKind::current:
      return current(after_.steps[o.a].reads[o.b], after_.steps[o.a].reaching[o.b], o.a);
    case DirectKind::current_output:
      return current(*after_.outputs[o.a].view, *after_.outputs[o.a].reaching, after_.steps.size());
    case DirectKind::defined:
      return defined(o.a);
    case DirectKind::order:
      return ordered();
    case DirectKind::placed:
      return placed(o.a);
  }
  return false;
}

bool DirectJudge::ordered() {
  const OrderAnswer answer = unordered_directly(space_, after_, questions_);
  return answer.known && answer.open.empty();
}

bool DirectJudge::equal_sizes(PolyId a, PolyId b) {
  return ask_.never(f_.inverted(f_.equal(sizes_.of(a), sizes_.of(b))), DirectAsk::About::equality);
}

bool DirectJudge::equal_shapes(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!equal_sizes(a[k], b[k])) return false;
  return true;
}

bool DirectJudge::entries_found(const Trace& of, const Trace& in) {
  return std::all_of(of.storages.begin(), of.storages.end(), [&](const TraceStorage& s) {
    if (s.start == TraceStorage::Start::undefined) return true;
    const TraceStorage* other = partner_of(in, s);
    return other != nullptr && other->lanes == s.lanes && other->compared == s.compared &&
           equal_shapes(other->shape, s.shape);
  });
}

/// True if inputs of the same name are the same view of the same storage.
bool DirectJudge::inputs_agree() const {
  for (const TraceInput& a : before_->inputs)
    for (const TraceInput& b : after_.inputs) {
      const TraceStorage &was = before_->storages[a.view.storage], &is = after_.storages[b.view.storage];
      TraceView shown = a.view;
      shown.storage = b.view.storage;
      if (a.name == b.name && (was.key != is.key || was.start != is.start || !(shown == b.view)))
        return false;
    }
  return true;
}

/// True if both Traces have the same storages at entry, each once, and the same number of outputs.
bool DirectJudge::frame() {
  return before_->outputs.size() == after_.outputs.size() && entries_found(*before_, after_) &&
         entries_found(after_, *before_) && inputs_agree();
}

const TraceView* DirectJudge::view_before(std::uint32_t output) const {
  if (before_ == nullptr || output >= before_->outputs.size()) return nullptr;
  const auto& view = before_->outputs[output].view;
  return view ? &*view : nullptr;
}

bool DirectJudge::type(std::uint32_t output) {
  if (output >= before_->outputs.size()) return false;
  const TraceOutput& a = before_->outputs[output];
  const TraceOutput& b = after_.outputs[output];
  if (a.view.has_value() != b.view.has_value() || a.scalar != b.scalar) return false;
  if (!a.view) return true;
  if (a.view->type != b.view->type || !equal_shapes(a.view->shape, b.view->shape)) return false;
  if (!boundary_.compare_strides || !a.strides_known || !b.strides_known) return true;
  if (a.strides.size() != a.view->shape.size() || b.strides.size() != a.strides.size()) return false;
  for (std::size_t k = 0; k < a.strides.size(); ++k) {
    const FormulaId extent = sizes_.of(a.view->shape[k]);
    const FormulaId equal = f_.equal(sizes_.of(a.strides[k]), sizes_.of(b.strides[k]));
    if (extent != f_.number(1) && !ask_.never(f_.inverted(equal), DirectAsk::About::equality)) return false;
  }
  return true;
}

bool DirectJudge::value(std::uint32_t output) {
  if (output >= before_->outputs.size()) return false;
  if (!after_.outputs[output].view) return true;  // a scalar: `type` compares it
  const TraceView* was = view_before(output);
  const TraceView& view = *after_.outputs[output].view;
  if (was == nullptr || !equal_shapes(was->shape, view.shape)) return false;
  const DirectIndex index = any_index(sizes_, view, "i");
  const Obligation self{DirectKind::value, false, output, 0};
  const FormulaId a = contents_.at(DirectSide::before, *was, index, before_->steps.size());
  const FormulaId b = contents_.at(DirectSide::after, view, index, after_.steps.size());
  if (a == Formulas::kBad || b == Formulas::kBad) return false;
  const auto free = free_undefined(self, index);
  if (free.empty()) return ask_.equal(a, b);
  return ask_.never(f_.inverted(agreeing(a, b, free)), DirectAsk::About::equality);
}

bool DirectJudge::exit(StorageId storage) {
  const TraceStorage& s = after_.storages[storage];
  const TraceStorage* other = partner_of(*before_, s);
  if (other == nullptr || other->lanes != s.lanes || !equal_shapes(other->shape, s.shape)) return false;
  const auto id = static_cast<StorageId>(other - before_->storages.data());
  const DirectIndex index = any_place(sizes_, TraceView{storage, {}, s.shape, "", s.lanes}, "i");
  return ask_.equal(contents_.element(DirectSide::before, id, index, before_->steps.size()),
                    contents_.element(DirectSide::after, storage, index, after_.steps.size()));
}

bool DirectJudge::store(const TraceStep& step) const {
  return std::all_of(step.writes.begin(), step.writes.end(),
                     [&](const TraceView& view) { return after_.storages[view.storage].writable; });
}

/// True if no write between the reaching definition and the read overlaps the read.
bool DirectJudge::untouched(const TraceView& view, std::size_t meant, std::size_t now) {
  for (std::size_t k = meant; k < now; ++k)
    for (const TraceView& write : after_.steps[k].writes)
      if (!never_meet(sizes_, ask_, view, write)) return false;
  return true;
}

bool DirectJudge::current(const TraceView& view, std::size_t meant, std::size_t now) {
  if (meant > now) return false;
  if (untouched(view, meant, now)) return true;
  const DirectIndex index = any_index(sizes_, view, "i");
  return ask_.equal(contents_.at(DirectSide::after, view, index, meant),
                    contents_.at(DirectSide::after, view, index, now));
}

bool DirectJudge::defined(std::uint32_t output) {
  const TraceView& view = *after_.outputs[output].view;
  const FormulaId content =
      contents_.at(DirectSide::after, view, any_index(sizes_, view, "i"), after_.steps.size());
  return ask_.never(contents_.undefined_where(content), DirectAsk::About::equality);
}

}  // namespace noclobber
