#include "checker/term.h"

#include <algorithm>
#include <set>

namespace noclobber {
namespace {

constexpr std::uint32_t kLane = 1000;
constexpr int kDepth = 600;  // moves followed in a row; beyond it a content is bad

std::size_t mix(std::size_t h, std::uint64_t v) { return (h ^ v) * 1099511628211ULL + 0x9e3779b97f4a7c15ULL; }

std::size_t hash_of(const Term& term) {
  std::size_t h = mix(static_cast<std::size_t>(term.kind), term.number);
  h = mix(h, std::hash<std::string>{}(term.text));
  for (PolyId p : term.index) h = mix(h, p);
  for (TermId t : term.terms) h = mix(h, t + 7);
  for (const Condition& c : term.conditions) h = mix(h, c.poly * 2ULL + (c.zero ? 1 : 0));
  return h;
}

bool any_bad(const Term& term) {
  const auto bad_poly = [](PolyId p) { return p == Space::kBad; };
  const auto bad_condition = [](const Condition& c) { return c.poly == Space::kBad; };
  return term.kind == Term::Kind::bad || std::any_of(term.index.begin(), term.index.end(), bad_poly) ||
         std::find(term.terms.begin(), term.terms.end(), Terms::kBad) != term.terms.end() ||
         std::any_of(term.conditions.begin(), term.conditions.end(), bad_condition);
}

bool mentions(const Space& space, PolyId poly, AtomId atom) {
  for (const Monomial& m : space.terms(poly))
    for (AtomId a : m.atoms) {
      if (a == atom) return true;
      const Atom& inner = space.atom(a);
      if (inner.kind == Atom::Kind::quotient && mentions(space, inner.first, atom)) return true;
    }
  return false;
}

/// Does the running lane occur free in the term?
bool has_lane(const Space& space, const Terms& terms, TermId whole, AtomId lane) {
  std::vector<TermId> open{whole};
  std::set<TermId> seen{whole};
  while (!open.empty()) {
    const Term& term = terms[open.back()];
    open.pop_back();
    if (term.kind == Term::Kind::pack || term.kind == Term::Kind::call) continue;  // both bind it
    for (PolyId p : term.index)
      if (mentions(space, p, lane)) return true;
    for (const Condition& c : term.conditions)
      if (mentions(space, c.poly, lane)) return true;
    for (TermId t : term.terms)
      if (seen.insert(t).second) open.push_back(t);
  }
  return false;
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

TermId Terms::intern(Term term) {
  if (any_bad(term)) return kBad;
  if (term.kind == Term::Kind::choose && term.terms[0] == term.terms[1]) return term.terms[0];
  if (term.kind == Term::Kind::byte) {
    const Term whole = all_[term.terms[0]];
    if (whole.kind == Term::Kind::pack && whole.index == term.index && whole.number == term.number)
      return whole.terms[0];
    if (whole.kind == Term::Kind::choose) {
      Term out = whole;
      for (TermId& part : out.terms)
        part = intern({Term::Kind::byte, term.number, "", term.index, {part}, {}});
      return intern(std::move(out));
    }
  }
  const std::size_t h = hash_of(term);
  const auto [from, to] = ids_.equal_range(h);
  for (auto it = from; it != to; ++it)
    if (all_[it->second] == term) return it->second;
  const auto id = static_cast<TermId>(all_.size());
  all_.push_back(std::move(term));
  ids_.emplace(h, id);
  return id;
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
  if (step.kind == TraceStep::Kind::move || step.elementwise)
    at(step.writes[0], running(space_, step.writes[0].shape), number + 1);
}

TermId Contents::called(std::uint32_t number) {
  const TraceStep& step = trace_.steps[number];
  Term term{Term::Kind::call, 0, step.key, {}, {}, {}};
  for (const TraceView& view : step.reads) {
    term.text += ";" + view.type + std::to_string(view.shape.size());
    term.index.insert(term.index.end(), view.shape.begin(), view.shape.end());
    term.terms.push_back(at(view, running(space_, view.shape), number));
  }
  return terms_.intern(std::move(term));
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
  const PolyId lane = space_.index(kLane, space_.constant(view.lanes));
  Index with_lane = index;
  with_lane.push_back(lane);
  const TermId byte = element(view.storage, seen, root_index(space_, view, with_lane));
  if (byte == Terms::kBad) return byte;
  if (view.lanes == 1) return byte;  // an element of one byte is that byte
  const Term& term = terms_[byte];
  const bool whole = term.kind == Term::Kind::byte && term.number == view.lanes && term.index[0] == lane &&
                     !has_lane(space_, terms_, term.terms[0], space_.terms(lane)[0].atoms[0]);
  if (whole) return term.terms[0];
  return terms_.intern({Term::Kind::pack, static_cast<std::uint32_t>(view.lanes), "", {lane}, {byte}, {}});
}

TermId Contents::element(StorageId storage, std::uint32_t version, const Index& index) {
  const std::string key = memo_key(storage, version, index);
  if (const auto at = memo_.find(key); at != memo_.end()) return at->second;
  if (depth_ > kDepth) return Terms::kBad;
  ++depth_;
  const TermId out = found(storage, version, index);
  --depth_;
  return memo_[key] = out;
}

TermId Contents::found(StorageId storage, std::uint32_t version, const Index& index) {
  while (version > 0) {
    const Write& write = writes_[storage][--version];
    const auto inside = view_inverse(space_, trace_.steps[write.step].writes[write.slot], index);
    if (!inside || !clean_[write.step]) return Terms::kBad;
    Term choice{Term::Kind::choose, 0, "", {}, {}, {}};
    bool outside = false;
    for (const Condition& c : inside->conditions) {
      const Truth truth = holds(space_, c, {});
      outside = outside || truth == Truth::no;
      if (truth == Truth::unknown) choice.conditions.push_back(c);
    }
    if (!outside) {
      const TermId here = written(write, inside->index);
      if (choice.conditions.empty()) return here;
      choice.terms = {here, element(storage, version, index)};
      return terms_.intern(std::move(choice));
    }
  }
  return entry(storage, index);
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
    case TraceStep::Kind::move:
      return moved(write, index, lanes ? lane : Space::kBad);
    case TraceStep::Kind::fill:
      whole = terms_.intern({Term::Kind::scalar, 0, step.key, {}, {}, {}});
      break;
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
