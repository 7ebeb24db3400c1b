#include <algorithm>

#include "src/values/obligation.h"
#include "src/values/sharing.h"

namespace noclobber {

namespace {
using Kind = Obligation::Kind;
}  // namespace

Rules::Rules(Space& space, Terms& terms, const Trace* before, const Trace& after, const Boundary& boundary)
    : space_(space),
      terms_(terms),
      before_(before),
      after_(after),
      boundary_(boundary),
      after_contents_(space, terms, after),
      equality_(space, terms) {
  if (before != nullptr) before_contents_.emplace(space, terms, *before);
}

bool Rules::shown(const Obligation& o) {
  switch (o.kind) {
    case Kind::modelled:
      return false;
    case Kind::claim: {
      const TraceClaim& c = (o.of_before ? *before_ : after_).claims[o.a];
      return space_.same(c.said, c.computed);
    }
    case Kind::frame:
      return same_frame();
    case Kind::type:
      return same_type(o.a);
    case Kind::value:
    case Kind::exit:
    case Kind::current:
    case Kind::current_output:
      return equal(o);
    case Kind::store:
      return std::all_of(after_.steps[o.a].writes.begin(), after_.steps[o.a].writes.end(),
                         [&](const TraceView& view) { return after_.storages[view.storage].writable; });
    case Kind::clean:
      return after_contents_.clean(o.a);
    case Kind::defined:
      return defined(o.a);
    case Kind::sharing:
    case Kind::together:
      return sharing(o);
    case Kind::order:  // unordered_conflicts() names what is open; the checker decides
    case Kind::placed:
      return true;
  }
  return false;
}

bool Rules::equal(const Obligation& o) {
  if (o.kind == Kind::value && o.a >= before_->outputs.size()) return false;
  const TraceView* view = output_view(after_, o.a);
  if (o.kind == Kind::value && view == nullptr) return true;  // a scalar: `type` compares it
  const auto both = sides(o);
  if (!both || element_count(space_, both->first.view.shape) == 0) return both.has_value();
  const auto [a, b] = contents(*both);
  const Index index = o.kind == Kind::value ? running(space_, view->shape) : Index{};
  return terms_.same(a, b) || equality_.shown(a, b, free_undefined(o), index);
}

std::optional<std::pair<Rules::Side, Rules::Side>> Rules::sides(const Obligation& o) {
  Contents* const after = &after_contents_;
  const std::uint32_t end = after->exit();
  if (o.kind == Kind::current) {
    const TraceStep& step = after_.steps[o.a];
    return std::pair{Side{after, step.reads[o.b], step.reaching[o.b]}, Side{after, step.reads[o.b], o.a}};
  }
  if (o.kind == Kind::current_output && output_view(after_, o.a) != nullptr) {
    const TraceOutput& out = after_.outputs[o.a];
    return std::pair{Side{after, *out.view, *out.reaching}, Side{after, *out.view, end}};
  }
  if (!before_contents_) return std::nullopt;
  Contents* const before = &*before_contents_;
  if (o.kind == Kind::exit) {
    const TraceStorage& s = after_.storages[o.a];
    const auto partner = before->partner(s);
    if (!partner) return std::nullopt;
    return std::pair{
        Side{before, {*partner, {}, s.shape, "", before_->storages[*partner].lanes}, before->exit()},
        Side{after, {o.a, {}, s.shape, "", s.lanes}, end}};
  }
  const TraceView *a = output_view(*before_, o.a), *b = output_view(after_, o.a);
  if (o.kind != Kind::value || a == nullptr || b == nullptr || a->shape != b->shape) return std::nullopt;
  return std::pair{Side{before, *a, before->exit()}, Side{after, *b, end}};
}

std::pair<TermId, TermId> Rules::contents(const Obligation& o) {
  const auto both = sides(o);
  return both ? contents(*both) : std::pair{Terms::kBad, Terms::kBad};
}

std::pair<TermId, TermId> Rules::contents(const std::pair<Side, Side>& both) {
  const auto at = [](const Side& side) { return side.of->at_all(side.view, side.time); };
  return {at(both.first), at(both.second)};
}

/// Equally many outputs, the same storages at entry, and inputs of one name have the same view of them.
bool Rules::same_frame() const {
  std::multimap<std::string, const TraceView*> named;
  for (const TraceInput& input : after_.inputs) named.emplace(input.name, &input.view);
  for (const TraceInput& input : before_->inputs)
    for (auto [at, end] = named.equal_range(input.name); at != end; ++at) {
      TraceView moved = input.view;
      moved.storage = at->second->storage;
      const TraceStorage &was = before_->storages[input.view.storage], &is = after_.storages[moved.storage];
      if (moved != *at->second || was.key != is.key || was.start != is.start) return false;
    }
  const auto found = [](const Trace& of, const Contents& in) {
    return std::all_of(of.storages.begin(), of.storages.end(), [&](const TraceStorage& s) {
      const auto other = in.partner(s);
      const TraceStorage* t = other ? &in.trace().storages[*other] : nullptr;
      return s.start == TraceStorage::Start::undefined ||
             (t != nullptr && t->lanes == s.lanes && t->compared == s.compared);
    });
  };
  return before_->outputs.size() == after_.outputs.size() && found(*before_, after_contents_) &&
         found(after_, *before_contents_);
}

bool Rules::same_type(std::uint32_t output) const {
  if (output >= before_->outputs.size()) return false;
  const TraceOutput &a = before_->outputs[output], &b = after_.outputs[output];
  if (a.view.has_value() != b.view.has_value() || a.scalar != b.scalar) return false;
  if (!a.view) return true;
  if (a.view->shape != b.view->shape || a.view->type != b.view->type) return false;
  if (!boundary_.compare_strides || !a.strides_known || !b.strides_known) return true;
  for (std::size_t k = 0; k < a.strides.size(); ++k)
    if (space_.value(a.view->shape[k]) != 1 && !space_.same(a.strides[k], b.strides[k])) return false;
  return true;
}

/// The output depends on no undefined contents: it equals itself with the undefined storages renamed.
bool Rules::defined(std::uint32_t output) {
  const TraceView& view = *output_view(after_, output);
  const auto content = [&](Contents& of) { return of.at_all(view, of.exit()); };
  const TermId own = content(after_contents_);
  if (own == Terms::kBad || !terms_[own].open) return own != Terms::kBad;
  if (!renamed_) {
    renamed_ = after_;
    for (TraceStorage& s : renamed_->storages)
      if (s.start == TraceStorage::Start::undefined) s.key = s.key.text() + " of others";
    renamed_contents_.emplace(space_, terms_, *renamed_);
  }
  return equality_.shown(own, content(*renamed_contents_), {}, {});
}

/// An obligation `of_before` exists if sharing may not shrink: the graphs exchange their roles.
bool Rules::sharing(const Obligation& o) {
  std::shared_ptr<Sharing>& all = o.of_before ? shrunk_ : grown_;
  if (!all)
    all = std::make_shared<Sharing>(space_, o.of_before ? after_ : *before_, o.of_before ? *before_ : after_,
                                    boundary_);
  return o.kind == Kind::sharing ? all->with_inputs(o.a) : all->with_outputs(o.a);
}

/// Undefined storages of `before` that only this obligation depends on, and through choices alone.
std::set<std::string> Rules::free_undefined(const Obligation& obligation) {
  std::set<std::string> out;
  if (before_ == nullptr || obligation.kind != Kind::value) return out;
  if (!undefined_uses_) {
    undefined_uses_.emplace();
    for (const Obligation& o : enumerate(before_, after_, boundary_)) {
      if (o.kind != Kind::value && o.kind != Kind::exit) continue;
      each_undefined(terms_, contents(o).first, true, [&](const Term& t, bool nested) {
        (*undefined_uses_)[terms_.text(t.text)].insert(nested ? Obligation{} : o);
      });
    }
  }
  for (const auto& [key, uses] : *undefined_uses_)
    if (uses == std::set{obligation}) out.insert(key);
  return out;
}

}  // namespace noclobber
