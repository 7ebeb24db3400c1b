#include <algorithm>

#include "checker/obligation.h"

namespace noclobber {

namespace {
using Kind = Obligation::Kind;

/// Undefined storages in a term; those under anything but a choice are put into `nested`.
void collect(const Terms& terms, TermId whole, std::set<std::string>& plain, std::set<std::string>& nested) {
  std::vector<std::pair<TermId, bool>> open{{whole, false}};
  std::set<std::pair<TermId, bool>> seen{open[0]};
  while (!open.empty()) {
    const auto [id, under] = open.back();
    open.pop_back();
    const Term& term = terms[id];
    if (term.kind == Term::Kind::undefined) (under ? nested : plain).insert(term.text);
    for (TermId t : term.terms)
      if (const std::pair next{t, under || term.kind != Term::Kind::choose}; seen.insert(next).second)
        open.push_back(next);
  }
}

const TraceStorage* by_key(const Trace& trace, const TraceStorage& wanted) {
  for (const TraceStorage& s : trace.storages)
    if (s.key == wanted.key && s.start == wanted.start) return &s;
  return nullptr;
}

/// Does the view show every element of its storage?
bool covers(const TraceView& view) {
  return std::all_of(view.maps.begin(), view.maps.end(), [](const Map& m) {
    return m.kind == Map::Kind::permute || m.kind == Map::Kind::reshape;
  });
}
}  // namespace

Rules::Rules(Space& space, Terms& terms, const Trace* before, const Trace& after, const Boundary& boundary)
    : space_(space),
      terms_(terms),
      before_(before),
      after_(after),
      boundary_(boundary),
      after_contents_(space, terms, after),
      equality_(space, terms) {
  if (before != nullptr) before_contents_.emplace_back(space, terms, *before);
}

bool Rules::shown(const Obligation& o) {
  const Trace& trace = o.of_before ? *before_ : after_;
  switch (o.kind) {
    case Kind::modelled: return false;
    case Kind::claim: return space_.same(trace.claims[o.a].said, trace.claims[o.a].computed);
    case Kind::frame: return frame();
    case Kind::type: return o.a < before_->outputs.size() && type(o.a);
    case Kind::value:
    case Kind::exit:
    case Kind::current:
    case Kind::current_output: return equal(o);
    case Kind::store:
      return std::all_of(after_.steps[o.a].writes.begin(), after_.steps[o.a].writes.end(),
                         [&](const TraceView& view) { return after_.storages[view.storage].writable; });
    case Kind::clean: return after_contents_.clean(o.a);
    case Kind::defined: return defined(o.a);
    case Kind::sharing:
    case Kind::together: return sharing(o);
    case Kind::order: return unordered(space_, after_).empty();
    case Kind::placed:
      if (!placed_) placed_ = placed(space_, after_);
      return (*placed_)[o.a];
  }
  return false;
}

bool Rules::equal(const Obligation& o) {
  const bool output = o.kind == Kind::value;
  if (output && o.a >= before_->outputs.size()) return false;
  if (output && !after_.outputs[o.a].view) return true;  // a scalar: `type` compares it
  const auto [a, b] = contents(o);
  if (terms_.same(a, b)) return true;
  const Index index = output ? running(space_, after_.outputs[o.a].view->shape) : Index{};
  return equality_.shown(a, b, free_undefined(o), index);
}

std::optional<std::pair<Rules::Side, Rules::Side>> Rules::sides(const Obligation& o) {
  const auto now = [&](Contents& of, const TraceView& view) {
    return Side{&of, view, static_cast<std::uint32_t>(of.trace().steps.size())};
  };
  const auto whole = [&](Contents& of, const TraceStorage& s) {
    const auto id = static_cast<StorageId>(&s - of.trace().storages.data());
    return now(of, {id, {}, s.shape, "", s.lanes});
  };
  Contents& after = after_contents_;
  if (o.kind == Kind::current) {
    const TraceView& view = after_.steps[o.a].reads[o.b];
    return std::pair{Side{&after, view, after_.steps[o.a].means[o.b]}, Side{&after, view, o.a}};
  }
  if (o.kind == Kind::current_output) {
    const TraceOutput& out = after_.outputs[o.a];
    return std::pair{Side{&after, *out.view, *out.means}, now(after, *out.view)};
  }
  if (o.kind == Kind::exit) {
    const TraceStorage* partner = by_key(*before_, after_.storages[o.a]);
    if (partner == nullptr || partner->shape != after_.storages[o.a].shape) return std::nullopt;
    return std::pair{whole(before_contents_[0], *partner), whole(after, after_.storages[o.a])};
  }
  if (o.kind != Kind::value || o.a >= before_->outputs.size()) return std::nullopt;
  const auto& a = before_->outputs[o.a].view;
  const auto& b = after_.outputs[o.a].view;
  if (!a || !b || a->shape != b->shape) return std::nullopt;
  return std::pair{now(before_contents_[0], *a), now(after, *b)};
}

std::pair<TermId, TermId> Rules::contents(const Obligation& o) {
  const auto both = sides(o);
  if (!both) return {Terms::kBad, Terms::kBad};
  const Index index = running(space_, both->first.view.shape);
  const auto at = [&](const Side& side) { return side.of->at(side.view, index, side.time); };
  return {at(both->first), at(both->second)};
}

/// Equally many outputs, the same storages at entry, and inputs of one name show the same of them.
bool Rules::frame() const {
  for (const TraceInput& a : before_->inputs)
    for (const TraceInput& b : after_.inputs) {
      if (a.name != b.name) continue;
      TraceView moved = a.view;
      moved.storage = b.view.storage;
      const TraceStorage &was = before_->storages[a.view.storage], &is = after_.storages[b.view.storage];
      if (moved != b.view || was.key != is.key || was.start != is.start) return false;
    }
  const auto found = [](const Trace& trace, const TraceStorage& s) {
    if (s.start == TraceStorage::Start::undefined) return true;
    const TraceStorage* other = by_key(trace, s);
    return other != nullptr && other->shape == s.shape && other->lanes == s.lanes &&
           other->compared == s.compared;
  };
  const auto all = [&](const Trace& of, const Trace& in) {
    return std::all_of(of.storages.begin(), of.storages.end(),
                       [&](const TraceStorage& s) { return found(in, s); });
  };
  return before_->outputs.size() == after_.outputs.size() && all(*before_, after_) && all(after_, *before_);
}

bool Rules::type(std::uint32_t output) const {
  const TraceOutput& a = before_->outputs[output];
  const TraceOutput& b = after_.outputs[output];
  if (a.view.has_value() != b.view.has_value() || a.scalar != b.scalar) return false;
  if (!a.view) return true;
  if (a.view->shape != b.view->shape || a.view->type != b.view->type) return false;
  if (!boundary_.compare_strides || !a.strides_known || !b.strides_known) return true;
  for (std::size_t k = 0; k < a.strides.size(); ++k)
    if (space_.value(a.view->shape[k]) != 1 && !space_.same(a.strides[k], b.strides[k])) return false;
  return true;
}

/// Output k shows the same elements of the same input in both graphs.
bool Rules::same_roots(std::uint32_t k) {
  if (k >= before_->outputs.size()) return false;
  const auto& a = before_->outputs[k].view;
  const auto& b = after_.outputs[k].view;
  if (!a || !b || a->shape != b->shape || a->lanes != b->lanes) return false;
  const TraceStorage& s = after_.storages[b->storage];
  return s.start == TraceStorage::Start::given && before_->storages[a->storage].key == s.key &&
         before_->storages[a->storage].start == s.start &&
         root_index(space_, *a, running(space_, *a)) == root_index(space_, *b, running(space_, *b));
}

/// The same whatever nobody wrote: equal to what it is where those contents have other names.
bool Rules::defined(std::uint32_t output) {
  const TraceView& view = *after_.outputs[output].view;
  const auto content = [&](Contents& of) {
    return of.at(view, running(space_, view.shape), static_cast<std::uint32_t>(after_.steps.size()));
  };
  const TermId own = content(after_contents_);
  std::set<std::string> plain, nested;
  collect(terms_, own, plain, nested);
  if (own == Terms::kBad || (plain.empty() && nested.empty())) return own != Terms::kBad;
  if (!renamed_) {
    renamed_ = after_;
    for (TraceStorage& s : renamed_->storages)
      if (s.start == TraceStorage::Start::undefined) s.key += " of others";
    renamed_contents_.emplace_back(space_, terms_, *renamed_);
  }
  return equality_.shown(own, content(renamed_contents_[0]), {}, {});
}

/// Shares the elements that it shared before, or then shared all of them. Two outputs: the same pairs of
/// places, or one view twice on both sides.
bool Rules::sharing(const Obligation& o) {
  const bool input = o.kind == Kind::sharing;
  const std::optional<TraceView>& x = after_.outputs[o.a].view;
  const std::optional<TraceView> y = input ? after_.inputs[o.b].view : after_.outputs[o.b].view;
  if (!x || !y || apart(space_, *x, *y) || (same_roots(o.a) && (input || same_roots(o.b)))) return true;
  const auto was = [&](std::uint32_t k) {
    return k < before_->outputs.size() ? before_->outputs[k].view : std::nullopt;
  };
  const auto was_x = was(o.a), was_y = input ? std::nullopt : was(o.b);
  if (!was_x) return false;
  const TraceStorage& had = before_->storages[was_x->storage];
  if (input)
    return covers(*was_x) && had.start == TraceStorage::Start::given &&
           had.key == after_.storages[x->storage].key;
  if (!was_y || was_x->storage != was_y->storage) return false;
  const auto same = [&](const TraceView& a, const TraceView& b) {
    return a.shape == b.shape &&
           root_index(space_, a, running(space_, a)) == root_index(space_, b, running(space_, b));
  };
  return (*was_x == *was_y && *x == *y) || (same(*was_x, *x) && same(*was_y, *y));
}

/// Undefined storages of `before` that only the whole elements of this one obligation show.
std::set<std::string> Rules::free_undefined(const Obligation& obligation) {
  if (before_ == nullptr || obligation.kind != Kind::value) return {};
  if (!counted_) {
    counted_ = true;
    for (const Obligation& o : enumerate(before_, after_, boundary_)) {
      if (o.kind != Kind::value && o.kind != Kind::exit) continue;
      std::set<std::string> plain, nested;
      collect(terms_, contents(o).first, plain, nested);
      for (const std::string& key : plain) undefined_uses_[key].insert(o);
      for (const std::string& key : nested) undefined_uses_[key].insert({o, Obligation{}});
    }
  }
  std::set<std::string> out;
  for (const auto& [key, uses] : undefined_uses_)
    if (uses == std::set<Obligation>{obligation}) out.insert(key);
  return out;
}

}  // namespace noclobber
