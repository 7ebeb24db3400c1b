#include "checker/term.h"

#include <algorithm>

namespace noclobber {
namespace {

constexpr int kFollowed = 600;  // moves followed in a row; beyond it a content is bad
constexpr TermId kNone = ~TermId{0};

std::size_t hash_of(const Term& term) {
  std::size_t h =
      mix(mix(static_cast<std::size_t>(term.kind), term.number), std::hash<std::string>{}(term.text));
  for (PolyId p : term.index) h = mix(h, p);
  for (TermId t : term.terms) h = mix(h, t + 7);
  for (const Condition& c : term.conditions) h = mix(h, c.poly * 2ULL + (c.zero ? 1 : 0));
  return h;
}

}  // namespace

/// A byte of a choice is a choice of bytes, and the byte that an element was packed from is that byte.
TermId Terms::byte_of(const Term& term) {
  const Term& whole = all_[term.terms[0]];
  if (whole.kind == Term::Kind::pack && whole.index == term.index && whole.number == term.number)
    return whole.terms[0];
  if (whole.kind != Term::Kind::choose && whole.kind != Term::Kind::when) return kBad;
  Term out = whole;
  for (std::size_t k = whole.kind == Term::Kind::when ? 1 : 0; k < out.terms.size(); ++k)
    out.terms[k] = intern({Term::Kind::byte, term.number, "", term.index, {out.terms[k]}, {}});
  return intern(std::move(out));
}

/// Do the conditions of two choices exclude each other, by constant bounds alone?
bool Terms::apart(const Term& a, const Term& b) {
  const auto both = [&](const Condition& x, const Condition& y) {
    for (int i : {1, -1})
      for (int k : {1, -1}) {  // what is zero is so with either sign
        if ((i < 0 && !x.zero) || (k < 0 && !y.zero)) continue;
        const PolyId sum = space_.add(space_.scale(x.poly, i), space_.scale(y.poly, k));
        if (space_.plain(space_.sub(space_.constant(-1), sum))) return false;
      }
    return true;
  };
  return std::ranges::any_of(a.conditions, [&](const Condition& x) {
    return std::ranges::any_of(b.conditions, [&](const Condition& y) { return !both(x, y); });
  });
}

/// One order for choices that exclude each other, whatever the order of the writes; kBad: nothing to do.
TermId Terms::ordered(const Term& choice) {
  const Term& old = all_[choice.terms[1]];
  if (old.kind != Term::Kind::choose || depth_ > kFollowed) return kBad;
  const auto above_older = [&] {
    return intern({Term::Kind::choose, 0, "", {}, {choice.terms[0], old.terms[1]}, choice.conditions});
  };
  if (old.conditions == choice.conditions) return above_older();  // it hides the older one
  if (!(choice.conditions < old.conditions) || !apart(choice, old)) return kBad;
  ++depth_;
  const TermId below = above_older();
  --depth_;
  return intern({Term::Kind::choose, 0, "", {}, {old.terms[0], below}, old.conditions});
}

TermId Terms::intern(Term term) {
  using enum Term::Kind;
  bool is_bad = term.kind == bad;
  term.lane = false;
  const auto part = [&](PolyId p) {
    is_bad = is_bad || p == Space::kBad;
    term.lane = term.lane || (!is_bad && space_.has_lane(p));
  };
  for (PolyId p : term.index) part(p);
  for (const Condition& c : term.conditions) part(c.poly);
  for (TermId t : term.terms) is_bad = is_bad || t == kBad, term.lane = term.lane || all_[t].lane;
  if (is_bad) return kBad;
  if (term.kind == pack || term.kind == call) term.lane = false;  // both bind it
  if (term.kind == choose && term.terms[0] == term.terms[1]) return term.terms[0];
  if (const TermId out = term.kind == choose ? ordered(term) : kBad; out != kBad) return out;
  for (std::size_t k = 1; term.kind == when && k < 3; ++k) {  // inside, the condition is known
    const Term& inner = all_[term.terms[k]];
    if (inner.kind == when && inner.terms[0] == term.terms[0])
      term.terms[k] = inner.terms[(inner.number == term.number) == (k == 1) ? 1 : 2];
  }
  if (term.kind == when && term.terms[1] == term.terms[2]) return term.terms[1];
  if (const TermId out = term.kind == byte ? byte_of(term) : kBad; out != kBad) return out;
  const std::size_t hash = hash_of(term);
  return all_.add(std::move(term), hash);
}

/// What each storage is called at entry, and where its writes and its contents at every index stand.
void Contents::number_writes() {
  for (const TraceStep& step : trace_.steps)
    for (const TraceView& view : step.writes) ++first_[view.storage + 1];
  for (StorageId s = 0; s < trace_.storages.size(); ++s) {
    const TraceStorage& storage = trace_.storages[s];
    first_[s + 1] += first_[s];
    running_.push_back(
        &shapes_.try_emplace({storage.shape, storage.lanes}, running(space_, storage)).first->second);
    if (storage.start != TraceStorage::Start::undefined)
      at_entry_.emplace(std::pair{storage.start, storage.key}, s);
  }
  whole_.assign(first_.back() + trace_.storages.size(), kNone);
  writes_.resize(first_.back());
  std::vector<std::uint32_t> next = first_;
  for (std::uint32_t number = 0; number < trace_.steps.size(); ++number)
    for (std::uint32_t slot = 0; slot < trace_.steps[number].writes.size(); ++slot)
      writes_[next[trace_.steps[number].writes[slot].storage]++] = {number, slot};
}

Contents::Contents(Space& space, Terms& terms, const Trace& trace)
    : space_(space), terms_(terms), trace_(trace), first_(trace.storages.size() + 1) {
  number_writes();
  for (std::uint32_t number = 0; number < trace.steps.size(); ++number) {
    const TraceStep& step = trace.steps[number];
    clean_.push_back(clean_step(space_, trace, step));
    const bool whole = step.kind == TraceStep::Kind::opaque && !step.elementwise;
    calls_.push_back(whole ? applied(number, nullptr) : Terms::kBad);
    // Looked up once in order, so that no later question has to follow a long chain of steps.
    if (step.kind != TraceStep::Kind::move && !step.elementwise) continue;
    const TraceView& to = step.writes[0];
    const TraceStorage& all = trace.storages[to.storage];
    at_all(to, number + 1);
    if (!to.maps.empty()) at_all({to.storage, {}, all.shape, "", all.lanes}, number + 1);
  }
}

std::optional<StorageId> Contents::partner(const TraceStorage& other) const {
  const auto at = at_entry_.find({other.start, other.key});
  const bool same = at != at_entry_.end() && trace_.storages[at->second].shape == other.shape;
  return same ? std::optional(at->second) : std::nullopt;
}

std::uint32_t Contents::step_of(TermId call) const {
  return static_cast<std::uint32_t>(std::find(calls_.begin(), calls_.end(), call) - calls_.begin());
}

TermId Contents::operand(TermId call, std::uint32_t number, const Index& index) {
  const std::uint32_t step = step_of(call);
  if (step == exit() || number >= trace_.steps[step].reads.size()) return Terms::kBad;
  const TraceView& view = trace_.steps[step].reads[number];
  return index.size() == view.shape.size() ? at(view, index, step) : Terms::kBad;
}

std::uint32_t Contents::version(StorageId storage, std::uint32_t time) const {
  const std::span all(writes_.begin() + first_[storage], writes_.begin() + first_[storage + 1]);
  const auto earlier = [&](const Write& w) { return w.step < time; };
  return static_cast<std::uint32_t>(std::partition_point(all.begin(), all.end(), earlier) - all.begin());
}

TermId Contents::at(const TraceView& view, Index index, std::uint32_t time) {
  const PolyId lane = view.lanes > 0 ? space_.index(Space::kLane, space_.constant(view.lanes)) : 0;
  if (view.lanes > 0) index.push_back(lane);
  index = root_index(space_, view, std::move(index));
  const TermId part = element(view.storage, version(view.storage, time), index);
  if (view.lanes <= 1) return part;  // an element of one byte is that byte
  const Term& term = terms_[part];
  const bool whole = term.kind == Term::Kind::byte && term.number == view.lanes && term.index[0] == lane &&
                     !terms_[term.terms[0]].lane;
  if (whole) return term.terms[0];
  return terms_.intern({Term::Kind::pack, static_cast<std::uint32_t>(view.lanes), "", {lane}, {part}, {}});
}

TermId Contents::at_all(const TraceView& view, std::uint32_t time) {
  return at(view, running(space_, view.shape), time);
}

TermId Contents::element(StorageId storage, std::uint32_t version, const Index& index) {
  const auto memo = [&]() -> TermId& {
    if (index == *running_[storage]) return whole_[first_[storage] + storage + version];
    std::u32string key{storage, version};
    key.append(index.begin(), index.end());
    return memo_.try_emplace(std::move(key), kNone).first->second;
  };
  if (const TermId known = memo(); known != kNone) return known;
  if (depth_ > kFollowed) return Terms::kBad;
  ++depth_;
  const TermId out = found(storage, version, index);
  --depth_;
  return memo() = out;
}

TermId Contents::found(StorageId storage, std::uint32_t version, const Index& index) {
  while (version > 0) {
    const Write& write = writes_[first_[storage] + --version];
    const TraceStep& step = trace_.steps[write.step];
    const auto inside = view_inverse(space_, step.writes[write.slot], index);
    if (!inside || !clean_[write.step]) return Terms::kBad;
    Term choice{Term::Kind::choose, 0, "", {}, {}, {}};
    bool outside = false;
    for (const Condition& c : inside->conditions) {
      const Truth truth = holds(space_, c, {});
      outside = outside || truth == Truth::no;
      if (truth == Truth::unknown) choice.conditions.push_back(c);
    }
    if (outside) continue;
    const TermId here = written(write, inside->index);
    if (choice.conditions.empty() && step.guards.empty()) return here;
    const TermId old = element(storage, version, index);
    choice.terms = {guarded(step, here, old), old};
    return choice.conditions.empty() ? choice.terms[0] : terms_.intern(std::move(choice));
  }
  const TraceStorage& s = trace_.storages[storage];
  const bool undefined = s.start == TraceStorage::Start::undefined;
  return terms_.intern({undefined ? Term::Kind::undefined : Term::Kind::start, 0, s.key, index, {}, {}});
}

/// `here` where the step runs, else `old`.
TermId Contents::guarded(const TraceStep& step, TermId here, TermId old) {
  for (const auto& [guard, wanted] : step.guards) {
    const TraceGuard& g = trace_.guards[guard];
    const TermId is = at_all(g.view, g.time);
    here = terms_.intern({Term::Kind::when, wanted ? 1U : 0U, "", {}, {is, here, old}, {}});
  }
  return here;
}

/// Element `index` (with its lane, if the target has lanes) of what a step stored.
TermId Contents::written(const Write& write, Index index) {
  const TraceStep& step = trace_.steps[write.step];
  const TraceView& to = step.writes[write.slot];
  const TraceView* from = step.kind == TraceStep::Kind::move ? &step.reads[0] : nullptr;
  if (from != nullptr && from->type == to.type && from->lanes > 0 && from->lanes == to.lanes)
    return element(from->storage, version(from->storage, write.step), root_index(space_, *from, index));
  const PolyId lane = to.lanes > 0 ? index.back() : 0;
  if (to.lanes > 0) index.pop_back();
  const TermId whole = stored(write, index);
  if (to.lanes <= 1) return whole;
  return terms_.intern({Term::Kind::byte, static_cast<std::uint32_t>(to.lanes), "", {lane}, {whole}, {}});
}

TermId Contents::stored(const Write& write, const Index& index) {
  const TraceStep& step = trace_.steps[write.step];
  const std::string& type = step.writes[write.slot].type;
  switch (step.kind) {
    case TraceStep::Kind::move: {
      const TermId out = at(step.reads[0], index, write.step);
      if (step.reads[0].type == type) return out;
      return terms_.intern({Term::Kind::cast, 0, *step.reads[0].type + ">" + type, {}, {out}, {}});
    }
    case TraceStep::Kind::fill: return terms_.intern({Term::Kind::scalar, 0, step.key, {}, {}, {}});
    case TraceStep::Kind::opaque: break;
  }
  if (step.elementwise) return applied(write.step, &index);
  return terms_.intern({Term::Kind::result, write.slot, "", index, {calls_[write.step]}, {}});
}

/// The operator of a step, of whole operands or (at `index`) of elements.
TermId Contents::applied(std::uint32_t number, const Index* index) {
  const TraceStep& step = trace_.steps[number];
  Term term{index != nullptr ? Term::Kind::each : Term::Kind::call, 0, step.key, {}, {}, {}};
  term.text.reserve(step.key->size() + 8 * step.reads.size() + 8);
  if (index != nullptr) term.text += ">" + *step.writes[0].type;
  for (const std::string& body : step.bodies) term.text += "@" + std::to_string(body.size()) + ":" + body;
  for (const TraceView& view : step.reads) {
    term.text += ";" + *view.type;
    term.terms.push_back(index != nullptr ? at(view, *index, number) : at_all(view, number));
    if (index != nullptr) continue;
    term.text += std::to_string(view.shape.size());
    term.index.insert(term.index.end(), view.shape.begin(), view.shape.end());
  }
  return terms_.intern(std::move(term));
}

}  // namespace noclobber
