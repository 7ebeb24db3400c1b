#include "src/prover/direct_judge.h"

#include <algorithm>

#include "src/prover/direct_access.h"
#include "src/prover/direct_order.h"

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
      return sharing(o.a, o.b);
    case DirectKind::together:
      return together(o.a, o.b);
    case DirectKind::current:
      return current(after_.steps[o.a].reads[o.b], after_.steps[o.a].means[o.b], o.a);
    case DirectKind::current_output:
      return current(*after_.outputs[o.a].view, *after_.outputs[o.a].means, after_.steps.size());
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

/// Inputs of one name show the same of the same storage.
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

/// The same storages at entry, each once, and as many outputs.
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

/// In order of running: what was meant, then every write since, then the read; none of these writes meets it.
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

/// Wherever an element of the output is one of the input's, it was that very one before; or the output lay on
/// all of that storage before. What no input shows of a storage of the caller's is the caller's, too.
bool DirectJudge::sharing(std::uint32_t output, std::uint32_t input) {
  const TraceView& view = *after_.outputs[output].view;
  const TraceView& shown = after_.inputs[input].view;
  const auto meets = [&](const TraceInput& other) {
    return other.view.storage == view.storage && !never_meet(sizes_, ask_, view, other.view);
  };
  const bool empty = std::ranges::any_of(view.shape, [&](PolyId size) { return space_.value(size) == 0; });
  if (never_meet(sizes_, ask_, view, shown) && (empty || std::ranges::any_of(after_.inputs, meets)))
    return true;
  const TraceView* was = view_before(output);
  const TraceStorage& storage = after_.storages[view.storage];
  if (was == nullptr || storage.start != TraceStorage::Start::given ||
      partner_of(*before_, storage) != &before_->storages[was->storage])
    return false;
  const bool whole = std::all_of(was->maps.begin(), was->maps.end(), [](const Map& m) {
    return m.kind == Map::Kind::permute || m.kind == Map::Kind::reshape;
  });
  if (whole) return true;
  if (was->lanes != view.lanes || !equal_shapes(was->shape, view.shape)) return false;
  const DirectIndex i = any_place(sizes_, view, "i");
  const auto now = root_of(sizes_, view, i), then = root_of(sizes_, *was, i);
  const auto other = root_of(sizes_, shown, any_place(sizes_, shown, "j"));
  if (!now || !then || !other) return false;
  const FormulaId moved = f_.all({one_place(f_, *now, *other), f_.inverted(one_place(f_, *now, *then))});
  return ask_.never(moved, DirectAsk::About::overlap);
}

/// Wherever elements of the two outputs are one, they were one before.
bool DirectJudge::together(std::uint32_t a, std::uint32_t b) {
  const auto &x = after_.outputs[a].view, &y = after_.outputs[b].view;
  if (!x || !y || never_meet(sizes_, ask_, *x, *y)) return true;
  const TraceView *was_x = view_before(a), *was_y = view_before(b);
  if (was_x == nullptr || was_y == nullptr || was_x->storage != was_y->storage) return false;
  if (was_x->lanes != x->lanes || was_y->lanes != y->lanes || !equal_shapes(was_x->shape, x->shape) ||
      !equal_shapes(was_y->shape, y->shape))
    return false;
  const DirectIndex i = any_place(sizes_, *x, "i"), j = any_place(sizes_, *y, "j");
  const auto now_x = root_of(sizes_, *x, i), now_y = root_of(sizes_, *y, j);
  const auto then_x = root_of(sizes_, *was_x, i), then_y = root_of(sizes_, *was_y, j);
  if (!now_x || !now_y || !then_x || !then_y) return false;
  const FormulaId grown =
      f_.all({one_place(f_, *now_x, *now_y), f_.inverted(one_place(f_, *then_x, *then_y))});
  return ask_.never(grown, DirectAsk::About::overlap);
}

}  // namespace noclobber
