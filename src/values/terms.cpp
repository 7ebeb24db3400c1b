// Terms, and the numbers of indices and of chains of maps.
#include <algorithm>
#include <limits>

#include "src/values/term.h"

namespace noclobber {
namespace {

constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max();

std::size_t hash_of(const Term& term) {
  std::size_t h = mix(mix(static_cast<std::size_t>(term.kind), term.number), term.text);
  for (PolyId p : term.index) h = mix(h, p);
  for (TermId t : term.terms) h = mix(h, t + 7);
  for (const Condition& c : term.conditions) h = mix(h, c.poly * 2ULL + (c.zero ? 1 : 0));
  return h;
}

}  // namespace

/// A byte of a choice is a choice of bytes, and a byte of an element is the one that it was packed from.
TermId Terms::byte_of(const Term& term) {
  const Term& whole = all_[term.terms[0]];
  if (whole.kind == Term::Kind::pack && whole.index == term.index && whole.number == term.number)
    return whole.terms[0];
  if (whole.kind != Term::Kind::choose && whole.kind != Term::Kind::when) return kBad;
  Term out = whole;
  for (std::size_t k = whole.kind == Term::Kind::when ? 1 : 0; k < out.terms.size(); ++k)
    out.terms[k] = intern({Term::Kind::byte, term.number, 0, term.index, {out.terms[k]}, {}});
  return intern(std::move(out));
}

/// True if constant bounds alone show that the conditions of two choices exclude each other.
bool Terms::apart(const Term& a, const Term& b) {
  const auto both = [&](const Condition& x, const Condition& y) {
    for (int i : {1, -1})
      for (int k : {1, -1}) {  // an equation holds with either sign
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

/// One order for choices that exclude each other, whatever the order of the writes; kBad: no change.
TermId Terms::ordered(const Term& choice) {
  const Term& old = all_[choice.terms[1]];
  if (old.kind != Term::Kind::choose || depth_ > kFollowed) return kBad;
  const auto above_older = [&] {
    return intern({Term::Kind::choose, 0, 0, {}, {choice.terms[0], old.terms[1]}, choice.conditions});
  };
  if (old.conditions == choice.conditions) return above_older();  // it hides the older choice
  if (!(choice.conditions < old.conditions) || !apart(choice, old)) return kBad;
  ++depth_;
  const TermId below = above_older();
  --depth_;
  return intern({Term::Kind::choose, 0, 0, {}, {old.terms[0], below}, old.conditions});
}

TermId Terms::intern(Term&& term) {
  using enum Term::Kind;
  bool is_bad = term.kind == bad;
  term.lane = false, term.open = term.kind == undefined;
  const auto part = [&](PolyId p) {
    is_bad = is_bad || p == Space::kBad;
    term.lane = term.lane || (!is_bad && space_.has_lane(p));
  };
  for (PolyId p : term.index) part(p);
  for (const Condition& c : term.conditions) part(c.poly);
  for (TermId t : term.terms) is_bad |= t == kBad, term.lane |= all_[t].lane, term.open |= all_[t].open;
  if (is_bad) return kBad;
  if (term.kind == pack || term.kind == call) term.lane = false;  // both bind the running byte
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

std::uint32_t Terms::number(Index index) {
  std::size_t hash = index.size();
  for (PolyId p : index) hash = mix(hash, p);
  return indices_.add(std::move(index), hash);
}

std::uint32_t Terms::chain(const std::vector<Map>& maps) {
  std::size_t hash = maps.size();
  for (const Map& m : maps) {
    hash = mix(mix(mix(hash, static_cast<std::size_t>(m.kind)), m.start), m.step);
    for (PolyId extent : m.to) hash = mix(hash, extent);
  }
  return chains_.add(maps, hash);
}

const Terms::Box& Terms::box(std::vector<Box>& all, std::uint32_t number, const auto& index) {
  if (all.size() <= number) all.resize(number + 1);
  Box& out = all[number];
  if (!out.empty()) return out;
  for (PolyId at : index()) {
    const bool bad = at == Space::kBad;
    out.emplace_back((bad ? std::nullopt : space_.bound(at, false)).value_or(-kFarthest),
                     (bad ? std::nullopt : space_.bound(at, true)).value_or(kFarthest));
  }
  return out;
}

/// True if constant bounds show that the element is outside of the view.
bool Terms::beside(std::uint32_t chain, std::uint32_t index) {
  if (chain == 0) return false;
  const auto shown = [&] {
    const std::vector<Map>& maps = chains_[chain];
    Index at = running(space_, maps.back().to);
    for (auto m = maps.rbegin(); m != maps.rend(); ++m) {
      if (at.size() < m->to.size()) return Index{};  // it addresses the bytes of elements
      at = forward(space_, *m, at);
    }
    return at;
  };
  const Box& one = box(index_boxes_, index, [&] { return indices_[index]; });
  const Box& all = box(chain_boxes_, chain, shown);
  for (std::size_t d = 0; d < std::min(one.size(), all.size()); ++d)
    if (one[d].second < all[d].first || all[d].second < one[d].first) return true;
  return false;
}

const Inside& Terms::inside(std::uint32_t chain, std::uint32_t index) {
  std::uint32_t& known = inside_[std::uint64_t{chain} << 32 | index];
  if (known != kUnset) return insides_[known];
  known = static_cast<std::uint32_t>(insides_.size());
  Inside& out = insides_.emplace_back();
  auto found = inverse(space_, chains_[chain], indices_[index]);
  out.shown = found.has_value();
  for (const Condition& c : found ? found->conditions : out.conditions) {
    const Truth truth = holds(space_, c, {});
    out.never = out.never || truth == Truth::no;
    if (truth == Truth::unknown) out.conditions.push_back(c);
  }
  if (found && !out.never) out.index = number(std::move(found->index));
  return out;
}

std::uint32_t Terms::root(std::uint32_t chain, std::uint32_t index) {
  if (chain == 0) return index;
  std::uint32_t& known = roots_[std::uint64_t{chain} << 32 | index];
  if (known != kUnset) return known;
  Index at = indices_[index];
  const std::vector<Map>& maps = chains_[chain];
  for (auto m = maps.rbegin(); m != maps.rend(); ++m) at = forward(space_, *m, at);
  return known = number(std::move(at));
}

}  // namespace noclobber
