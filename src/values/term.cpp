#include "src/values/term.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>

namespace noclobber {
namespace {

/// Bounds on contents looked up and writes passed: for each step of a Trace, and at least. Beyond them all
/// contents are bad: a graph that copies halves into halves has more contents than can be listed.
constexpr std::size_t kLookedUp = 64, kLeastLookedUp = 100'000, kPassed = 4'000, kLeastPassed = 20'000'000;

constexpr std::size_t kFewReads = 4;  // of one step

/// One in sixteen of the places that an element is followed through is noted, whatever their distance.
bool is_noted(std::uint64_t place) { return (place * 0x9e3779b97f4a7c15ULL) >> 60 == 0; }

}  // namespace

/// Numbers the writes of each storage, its contents at every index and its key at entry, and the chains of
/// all reads and writes.
void Contents::number_writes() {
  for (const TraceStep& step : trace_.steps)
    for (const TraceView& view : step.writes) ++first_[view.storage + 1];
  running_.reserve(trace_.storages.size());
  for (StorageId s = 0; s < trace_.storages.size(); ++s) {
    const TraceStorage& storage = trace_.storages[s];
    first_[s + 1] += first_[s];
    const TraceStorage& other = trace_.storages[s > 0 ? s - 1 : 0];
    const bool again = s > 0 && storage.shape == other.shape && storage.lanes == other.lanes;
    running_.push_back(again ? running_.back() : terms_.number(running(space_, storage)));
    if (storage.start != TraceStorage::Start::undefined) at_entry_[storage.start].emplace(storage.key, s);
  }
  first_read_.reserve(trace_.steps.size());
  whole_.assign(first_.back() + trace_.storages.size(), kUnset);
  writes_.resize(first_.back());
  std::vector<std::uint32_t> next = first_;
  for (std::uint32_t step = 0; step < trace_.steps.size(); ++step) {
    first_read_.push_back(static_cast<std::uint32_t>(chains_.size()));
    for (const TraceView& from : trace_.steps[step].reads)
      chains_.push_back(from.maps.empty() ? 0 : terms_.chain(from.maps));
    for (std::uint32_t slot = 0; slot < trace_.steps[step].writes.size(); ++slot) {
      const TraceView& to = trace_.steps[step].writes[slot];
      const std::uint32_t chain = to.maps.empty() ? 0 : terms_.chain(to.maps);
      if (chain != 0 && !terms_.inside(chain, running_[to.storage]).shown) clean_[step] = false;
      writes_[next[to.storage]++] = {step, slot, chain};
    }
  }
}

Contents::Contents(Space& space, Terms& terms, const Trace& trace)
    : space_(space),
      terms_(terms),
      trace_(trace),
      first_(trace.storages.size() + 1),
      clean_(trace.steps.size(), true),
      texts_(trace.steps.size()),
      puts_(trace.steps.size(), kUnset) {
  number_writes();
  calls_.reserve(trace.steps.size());
  for (std::uint32_t number = 0; number < trace.steps.size(); ++number) {
    const TraceStep& step = trace.steps[number];
    clean_[number] = clean_[number] && clean_step(space_, step);
    const bool whole = step.kind == TraceStep::Kind::opaque && !step.elementwise;
    calls_.push_back(whole ? applied(number, kUnset) : Terms::kBad);
    // Looked up once in order, so that no later question has to follow a long chain of steps.
    if (step.kind != TraceStep::Kind::move && !step.elementwise) continue;
    const TraceView& to = step.writes[0];
    const TraceStorage& all = trace.storages[to.storage];
    const TermId stored = at_all(to, number + 1);
    if (to.maps.empty() && to.lanes == 0 && step.writes.size() == 1) puts_[number] = stored;
    if (!to.maps.empty()) at_all({to.storage, {}, all.shape, "", all.lanes}, number + 1);
  }
}

std::optional<StorageId> Contents::partner(const TraceStorage& other) const {
  const auto all = at_entry_.find(other.start);
  if (all == at_entry_.end()) return std::nullopt;
  const auto at = all->second.find(other.key);
  const bool same = at != all->second.end() && trace_.storages[at->second].shape == other.shape;
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
  if (view.lanes > 0) index.push_back(space_.index(Space::kLane, space_.constant(view.lanes)));
  const bool all = view.maps.empty();
  return at(view, terms_.number(all ? std::move(index) : root_index(space_, view, std::move(index))), time);
}

TermId Contents::at_all(const TraceView& view, std::uint32_t time) {
  const bool all = view.maps.empty();
  return at(view,
            all ? running_[view.storage] : terms_.number(root_index(space_, view, running(space_, view))),
            time);
}

/// `root` is the number of an index of the storage, with its lane, where the view has lanes.
TermId Contents::at(const TraceView& view, std::uint32_t root, std::uint32_t time) {
  return joined(view, element(view.storage, version(view.storage, time), root));
}

/// The content of a read at `index` before the step runs. `index` is the number of one without a lane.
TermId Contents::at_read(std::uint32_t step, std::size_t read, std::uint32_t index) {
  const TraceView& view = trace_.steps[step].reads[read];
  if (view.lanes == 0) return at(view, root(step, read, index), step);
  Index with_lane = terms_.index(index);
  with_lane.push_back(space_.index(Space::kLane, space_.constant(view.lanes)));
  return at(view, root(step, read, terms_.number(std::move(with_lane))), step);
}

/// The element of a view whose byte at the running lane is `part`.
TermId Contents::joined(const TraceView& view, TermId part) {
  if (view.lanes <= 1) return part;  // an element of one byte is that byte
  const PolyId lane = space_.index(Space::kLane, space_.constant(view.lanes));
  const Term& term = terms_[part];
  const auto lanes = static_cast<std::uint32_t>(view.lanes);
  const bool whole = term.kind == Term::Kind::byte && term.number == lanes && term.index[0] == lane &&
                     !terms_[term.terms[0]].lane;
  if (whole) return term.terms[0];
  return terms_.intern({Term::Kind::pack, lanes, 0, {lane}, {part}, {}});
}

TermId Contents::element(StorageId storage, std::uint32_t version, std::uint32_t index) {
  const std::uint64_t own = place(storage, version), key = own << 32 | index;
  const bool all = index == running_[storage];
  if (const TermId known = all ? whole_[own] : noted(key); known != kUnset) return known;
  if (depth_ > kFollowed) return Terms::kBad;
  if (++looked_up_ > std::max(kLeastLookedUp, kLookedUp * trace_.steps.size())) exhausted_ = true;
  if (exhausted_) return Terms::kBad;
  Way way;
  ++depth_;
  const TermId out = found(storage, version, index, way);
  --depth_;
  if (out != Terms::kBad)  // a lookup that is too deep from here need not be so from there
    for (const std::uint64_t passed : way) memo_[passed] = out;
  return (all ? whole_[own] : memo_[key]) = out;
}

/// Continues in a loop where the content is that of another place: chains of moves are followed step by step,
/// and writes that miss the element are passed.
TermId Contents::found(StorageId storage, std::uint32_t version, std::uint32_t index, Way& way) {
  while (version > 0) {
    const Write& write = writes_[first_[storage] + --version];
    if (++passed_ > std::max(kLeastPassed, kPassed * trace_.steps.size())) exhausted_ = true;
    if (exhausted_ || !clean_[write.step]) return Terms::kBad;
    if (terms_.beside(write.chain, index)) continue;
    std::uint32_t at = index;
    if (write.chain != 0) {
      const Inside& in = terms_.inside(write.chain, index);
      if (!in.shown) return Terms::kBad;
      if (in.never) continue;
      at = in.index;
      if (!in.conditions.empty()) {
        const TermId here = written(write, at), old = element(storage, version, index);
        return terms_.intern({Term::Kind::choose, 0, 0, {}, {here, old}, in.conditions});
      }
    }
    const TraceView* from = moved_from(write);
    if (from == nullptr) return written(write, at);
    index = root(write.step, 0, at);
    storage = from->storage, version = this->version(storage, write.step);
    const std::uint64_t own = place(storage, version), key = own << 32 | index;
    const bool all = index == running_[storage];
    if (!all && !is_noted(own)) continue;
    if (const TermId known = all ? whole_[own] : noted(key); known != kUnset) return known;
    if (!all) way.push_back(key);
  }
  const TraceStorage& s = trace_.storages[storage];
  const auto kind = s.start == TraceStorage::Start::undefined ? Term::Kind::undefined : Term::Kind::start;
  return terms_.intern({kind, 0, terms_.text(s.key), terms_.index(index), {}, {}});
}

/// The view that a write copies without a change of type; nullptr for any other write.
const TraceView* Contents::moved_from(const Write& write) const {
  const TraceStep& step = trace_.steps[write.step];
  if (step.kind != TraceStep::Kind::move) return nullptr;
  const TraceView &from = step.reads[0], &to = step.writes[write.slot];
  return from.type == to.type && from.lanes == to.lanes ? &from : nullptr;
}

/// Element `at` (with its lane, if the target has lanes) of what a step stored.
TermId Contents::written(const Write& write, std::uint32_t at) {
  const TraceView& to = trace_.steps[write.step].writes[write.slot];
  if (const TraceView* from = moved_from(write))
    return element(from->storage, version(from->storage, write.step), root(write.step, 0, at));
  if (to.lanes == 0) return stored(write, at);
  Index index = terms_.index(at);
  const PolyId lane = index.back();
  index.pop_back();
  const TermId whole = stored(write, terms_.number(std::move(index)));
  if (to.lanes == 1) return whole;
  return terms_.intern({Term::Kind::byte, static_cast<std::uint32_t>(to.lanes), 0, {lane}, {whole}, {}});
}

TermId Contents::put(std::uint32_t step, std::uint32_t slot) {
  if (puts_[step] != kUnset) return clean_[step] ? puts_[step] : Terms::kBad;
  const TraceView& to = trace_.steps[step].writes[slot];
  return clean_[step] ? joined(to, written({step, slot, 0}, terms_.number(running(space_, to))))
                      : Terms::kBad;
}

TermId Contents::stored(const Write& write, std::uint32_t index) {
  const TraceStep& step = trace_.steps[write.step];
  const TraceView& to = step.writes[write.slot];
  if (step.kind == TraceStep::Kind::move) {
    const TermId out = at_read(write.step, 0, index);
    return step.reads[0].type == to.type ? out : cast(write.step, out);
  }
  if (step.kind == TraceStep::Kind::fill)
    return terms_.intern({Term::Kind::scalar, 0, terms_.text(step.key), {}, {}, {}});
  if (step.elementwise) return applied(write.step, index);
  Index at = terms_.index(index);
  at.insert(at.end(), to.shape.begin(), to.shape.end());
  return terms_.intern(
      {Term::Kind::result, write.slot, terms_.text(to.type), std::move(at), {calls_[write.step]}, {}});
}

/// The identity of a step if the Trace follows it, else nullptr.
const TraceIdentity* Contents::identity(std::uint32_t step) const {
  const auto& known = trace_.steps[step].identity;
  const bool may = known && trace_.identities != Identities::none &&
                   (known->assumes.empty() || trace_.identities == Identities::all);
  return may ? &*known : nullptr;
}

/// A number stored as another type. If it is a cast already, an identity may cast its source instead.
TermId Contents::cast(std::uint32_t number, TermId of) {
  const TraceStep& step = trace_.steps[number];
  std::string from = step.reads[0].type;
  const std::string& to = step.writes[0].type;
  const TraceIdentity* known = identity(number);
  if (known != nullptr && terms_[of].kind == Term::Kind::cast &&
      terms_[of].text == terms_.text(known->text + ">" + from)) {
    simplified_.insert(number);
    from = known->text, of = terms_[of].terms[0];
  }
  return from == to ? of : terms_.intern({Term::Kind::cast, 0, terms_.text(from + ">" + to), {}, {of}, {}});
}

/// The operator of a step, applied to elements; without an index (kUnset), to whole operands.
TermId Contents::applied(std::uint32_t number, std::uint32_t index) {
  const TraceStep& step = trace_.steps[number];
  const bool each = index != kUnset;
  const TraceIdentity* known = each ? identity(number) : nullptr;
  if (known != nullptr) simplified_.insert(number);
  if (known != nullptr && known->form == TraceIdentity::Form::keeps)
    return at_read(number, known->read, index);
  if (known != nullptr && known->form == TraceIdentity::Form::folds)
    return terms_.intern({Term::Kind::scalar, 0, terms_.text(known->text), {}, {}, {}});
  boost::container::small_vector<TermId, kFewReads> operands;  // a copy: looking one up may use `applied_`
  for (std::size_t read = 0; read < step.reads.size(); ++read)
    if (known == nullptr || read != known->read)
      operands.push_back(each ? at_read(number, read, index) : at_all(step.reads[read], number));
  Term& term = applied_;
  term.kind = each ? Term::Kind::each : Term::Kind::call;
  term.terms.assign(operands.begin(), operands.end());
  term.index.clear();
  for (const TraceView& view : step.reads)
    for (std::size_t d = 0; d < view.shape.size() && !each; ++d) term.index.push_back(view.shape[d]);
  term.text = text_of(number, each, known);
  return terms_.intern(std::move(term));
}

/// True if both apply the same operator to the same types. Steps that were copied from one share its texts.
bool Contents::same_text(const TraceStep& a, const TraceStep& b, bool each) {
  const auto alike = [&](const TraceView& x, const TraceView& y) {
    return x.type == y.type && (each || x.shape.size() == y.shape.size());
  };
  return a.key.place() == b.key.place() && a.bodies.place() == b.bodies.place() &&
         a.elementwise == b.elementwise && (!each || a.writes[0].type == b.writes[0].type) &&
         std::ranges::equal(a.reads, b.reads, alike);
}

TextId Contents::text_of(std::uint32_t number, bool each, const TraceIdentity* known) {
  TextId& text = texts_[number];
  if (text != 0) return text;
  const TraceStep& step = trace_.steps[number];
  std::uint32_t& like = known == nullptr ? like_.try_emplace(step.key.place(), number).first->second : number;
  if (like != number && same_text(trace_.steps[like], step, each)) return text = texts_[like];
  like = number;
  return text = terms_.text(applied_text(step, each, known));
}

/// Text of the operator that a step applies, and of the types of its operands.
std::string Contents::applied_text(const TraceStep& step, bool each, const TraceIdentity* known) {
  std::string out = known != nullptr ? known->text : *step.key;
  if (each) (out += '>') += *step.writes[0].type;
  for (const std::string& body : step.bodies) out += "@" + std::to_string(body.size()) + ":" + body;
  for (std::size_t read = 0; read < step.reads.size(); ++read) {
    if (known != nullptr && read == known->read) continue;
    (out += ';') += *step.reads[read].type;
    if (!each) out += std::to_string(step.reads[read].shape.size());
  }
  return out;
}

}  // namespace noclobber
