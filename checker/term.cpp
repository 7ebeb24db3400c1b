#include "checker/term.h"

#include <algorithm>
#include <set>

namespace noclobber {
namespace {

constexpr int kFollowed = 600;  // moves followed in a row; beyond it a content is bad

std::size_t hash_of(const Term& term) {
  std::size_t h = mix(static_cast<std::size_t>(term.kind), term.number);
  h = mix(h, std::hash<std::string>{}(term.text));
  for (PolyId p : term.index) h = mix(h, p);
  for (TermId t : term.terms) h = mix(h, t + 7);
  for (const Condition& c : term.conditions) h = mix(h, c.poly * 2ULL + (c.zero ? 1 : 0));
  return h;
}

std::string memo_key(StorageId storage, std::uint32_t version, const Index& index) {
  std::string key;
  const auto put = [&key](std::uint32_t v) { key.append(reinterpret_cast<const char*>(&v), sizeof v); };
  put(storage);
  put(version);
  for (PolyId p : index) put(p);
  return key;
}

}  // namespace

/// A byte of a choice is a choice of bytes, and the byte that an element was packed from is that byte.
TermId Terms::byte_of(const Term& term) {
  const Term whole = all_[term.terms[0]];
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
  return std::any_of(a.conditions.begin(), a.conditions.end(), [&](const Condition& x) {
    return std::any_of(b.conditions.begin(), b.conditions.end(),
                       [&](const Condition& y) { return !both(x, y); });
  });
}

/// One order for choices that exclude each other, whatever the order of the writes; kBad: nothing to do.
TermId Terms::ordered(const Term& choice) {
  const Term& old = all_[choice.terms[1]];
  if (old.kind != Term::Kind::choose || depth_ > kFollowed) return kBad;
  if (old.conditions == choice.conditions)  // it hides the older one
    return intern({Term::Kind::choose, 0, "", {}, {choice.terms[0], old.terms[1]}, choice.conditions});
  if (!(choice.conditions < old.conditions) || !apart(choice, old)) return kBad;
  ++depth_;
  const TermId below = intern({Term::Kind::choose, 0, "", {}, {choice.terms[0], old.terms[1]}, choice.conditions});
  --depth_;
  return intern({Term::Kind::choose, 0, "", {}, {old.terms[0], below}, old.conditions});
}

TermId Terms::intern(Term term) {
  bool bad = term.kind == Term::Kind::bad;
  term.lane = false;
  const auto part = [&](PolyId p) {
    bad = bad || p == Space::kBad;
    term.lane = term.lane || (!bad && space_.has_lane(p));
  };
  for (PolyId p : term.index) part(p);
  for (const Condition& c : term.conditions) part(c.poly);
  for (TermId t : term.terms) bad = bad || t == kBad, term.lane = term.lane || all_[t].lane;
  if (bad) return kBad;
  if (term.kind == Term::Kind::pack || term.kind == Term::Kind::call) term.lane = false;  // both bind it
  if (term.kind == Term::Kind::choose && term.terms[0] == term.terms[1]) return term.terms[0];
  if (term.kind == Term::Kind::choose)
    if (const TermId out = ordered(term); out != kBad) return out;
  if (term.kind == Term::Kind::when)
    for (std::size_t k : {1U, 2U}) {  // inside, the condition is known
      const Term& inner = all_[term.terms[k]];
      if (inner.kind == Term::Kind::when && inner.terms[0] == term.terms[0])
        term.terms[k] = inner.terms[(inner.number == term.number) == (k == 1) ? 1 : 2];
    }
  if (term.kind == Term::Kind::when && term.terms[1] == term.terms[2]) return term.terms[1];
  if (term.kind == Term::Kind::byte)
    if (const TermId out = byte_of(term); out != kBad) return out;
  const std::size_t h = hash_of(term);
  return all_.add(std::move(term), h);
}

Contents::Contents(Space& space, Terms& terms, const Trace& trace)
    : space_(space), terms_(terms), trace_(trace), writes_(trace.storages.size()) {
  for (std::uint32_t step = 0; step < trace.steps.size(); ++step) run(step);
}

void Contents::run(std::uint32_t number) {
  const TraceStep& step = trace_.steps[number];
  clean_.push_back(clean_step(space_, trace_, step));
  const bool whole = step.kind == TraceStep::Kind::opaque && !step.elementwise;
  calls_.push_back(whole ? called(number) : Terms::kBad);
  for (std::uint32_t slot = 0; slot < step.writes.size(); ++slot)
    writes_[step.writes[slot].storage].push_back({number, slot});
  // Looked up once in order, so that no later question has to follow a long chain of steps.
  if (step.kind != TraceStep::Kind::move && !step.elementwise) return;
  const TraceView& to = step.writes[0];
  at(to, running(space_, to.shape), number + 1);
  const TraceStorage& all = trace_.storages[to.storage];
  if (!to.maps.empty()) at({to.storage, {}, all.shape, "", all.lanes}, running(space_, all.shape), number + 1);
}

TermId Contents::called(std::uint32_t number) {
  const TraceStep& step = trace_.steps[number];
  Term term{Term::Kind::call, 0, step.key, {}, {}, {}};
  for (const std::string& body : step.bodies) term.text += "@" + std::to_string(body.size()) + ":" + body;
  for (const TraceView& view : step.reads) {
    term.text += ";" + view.type + std::to_string(view.shape.size());
    term.index.insert(term.index.end(), view.shape.begin(), view.shape.end());
    term.terms.push_back(at(view, running(space_, view.shape), number));
  }
  return terms_.intern(std::move(term));
}

std::uint32_t Contents::step_of(TermId call) const {
  return static_cast<std::uint32_t>(std::find(calls_.begin(), calls_.end(), call) - calls_.begin());
}

TermId Contents::operand(TermId call, std::uint32_t number, const Index& index) {
  const std::uint32_t step = step_of(call);
  if (step == calls_.size() || number >= trace_.steps[step].reads.size()) return Terms::kBad;
  const TraceView& view = trace_.steps[step].reads[number];
  return index.size() == view.shape.size() ? at(view, index, step) : Terms::kBad;
}

std::uint32_t Contents::version(StorageId storage, std::uint32_t time) const {
  const std::vector<Write>& all = writes_[storage];
  const auto later =
      std::partition_point(all.begin(), all.end(), [&](const Write& w) { return w.step < time; });
  return static_cast<std::uint32_t>(later - all.begin());
}

TermId Contents::at(const TraceView& view, const Index& index, std::uint32_t time) {
  const std::uint32_t seen = version(view.storage, time);
  if (view.lanes == 0) return element(view.storage, seen, root_index(space_, view, index));
  const PolyId lane = space_.index(Space::kLane, space_.constant(view.lanes));
  Index with_lane = index;
  with_lane.push_back(lane);
  const TermId byte = element(view.storage, seen, root_index(space_, view, with_lane));
  if (byte == Terms::kBad) return byte;
  if (view.lanes == 1) return byte;  // an element of one byte is that byte
  const Term& term = terms_[byte];
  const bool whole = term.kind == Term::Kind::byte && term.number == view.lanes && term.index[0] == lane &&
                     !terms_[term.terms[0]].lane;
  if (whole) return term.terms[0];
  return terms_.intern({Term::Kind::pack, static_cast<std::uint32_t>(view.lanes), "", {lane}, {byte}, {}});
}

TermId Contents::element(StorageId storage, std::uint32_t version, const Index& index) {
  const std::string key = memo_key(storage, version, index);
  if (const auto at = memo_.find(key); at != memo_.end()) return at->second;
  if (depth_ > kFollowed) return Terms::kBad;
  ++depth_;
  const TermId out = found(storage, version, index);
  --depth_;
  return memo_[key] = out;
}

TermId Contents::found(StorageId storage, std::uint32_t version, const Index& index) {
  while (version > 0) {
    const Write& write = writes_[storage][--version];
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
  return entry(storage, index);
}

/// `here` where the step runs, else `old`.
TermId Contents::guarded(const TraceStep& step, TermId here, TermId old) {
  for (const auto& [guard, wanted] : step.guards) {
    const TraceGuard& g = trace_.guards[guard];
    const TermId is = at(g.view, running(space_, g.view.shape), g.time);
    here = terms_.intern({Term::Kind::when, wanted ? 1U : 0U, "", {}, {is, here, old}, {}});
  }
  return here;
}

/// Byte `lane` of an element of `width` bytes.
TermId Contents::byte_of(TermId element, PolyId lane, std::int64_t width) {
  if (width == 1) return element;
  return terms_.intern({Term::Kind::byte, static_cast<std::uint32_t>(width), "", {lane}, {element}, {}});
}

/// Element `index` (with its lane, if the storage has lanes) of what a step stored.
TermId Contents::written(const Write& write, Index index) {
  const TraceStep& step = trace_.steps[write.step];
  const bool lanes = step.writes[write.slot].lanes > 0;
  const PolyId lane = lanes ? index.back() : 0;
  if (lanes) index.pop_back();
  TermId whole = Terms::kBad;
  switch (step.kind) {
    case TraceStep::Kind::move: return moved(write, index, lanes ? lane : Space::kBad);
    case TraceStep::Kind::fill: whole = terms_.intern({Term::Kind::scalar, 0, step.key, {}, {}, {}}); break;
    case TraceStep::Kind::opaque:
      whole = step.elementwise
                  ? each(write.step, index)
                  : terms_.intern({Term::Kind::result, write.slot, "", index, {calls_[write.step]}, {}});
      break;
  }
  return lanes ? byte_of(whole, lane, step.writes[write.slot].lanes) : whole;
}

TermId Contents::each(std::uint32_t number, const Index& index) {
  const TraceStep& step = trace_.steps[number];
  Term term{Term::Kind::each, 0, step.key + ">" + step.writes[0].type, {}, {}, {}};
  for (const TraceView& view : step.reads) {
    term.text += ";" + view.type;
    term.terms.push_back(at(view, index, number));
  }
  return terms_.intern(std::move(term));
}

/// `lane` is kBad where the target has no lanes.
TermId Contents::moved(const Write& write, const Index& index, PolyId lane) {
  const TraceStep& step = trace_.steps[write.step];
  const TraceView& from = step.reads[0];
  const TraceView& to = step.writes[0];
  if (from.type == to.type && lane != Space::kBad && from.lanes > 0) {
    Index with_lane = index;
    with_lane.push_back(lane);
    return element(from.storage, version(from.storage, write.step), root_index(space_, from, with_lane));
  }
  TermId out = at(from, index, write.step);
  if (from.type != to.type)
    out = terms_.intern({Term::Kind::cast, 0, from.type + ">" + to.type, {}, {out}, {}});
  return lane == Space::kBad ? out : byte_of(out, lane, to.lanes);
}

TermId Contents::entry(StorageId storage, const Index& index) {
  const TraceStorage& at = trace_.storages[storage];
  const Term::Kind kind =
      at.start == TraceStorage::Start::undefined ? Term::Kind::undefined : Term::Kind::start;
  return terms_.intern({kind, 0, at.key, index, {}, {}});
}

}  // namespace noclobber
