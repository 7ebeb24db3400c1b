#include <algorithm>

#include "src/values/term.h"

namespace noclobber {

namespace {
constexpr int kComparisons = 20'000;  // comparisons for one question
constexpr int kAllSteps = 2'000'000;  // and for all questions of a check together
constexpr int kNested = 200;
}  // namespace

void each_undefined(const Terms& terms, TermId whole, bool operands,
                    const std::function<void(const Term&, bool)>& visit) {
  Numbers seen;  // by term, and whether it was reached below others
  for (std::vector<std::pair<TermId, bool>> open{{whole, false}}; !open.empty();) {
    const auto [id, under] = open.back();
    open.pop_back();
    const Term& term = terms[id];
    if (term.kind == Term::Kind::undefined) visit(term, under);
    const bool inside = under || term.kind != Term::Kind::choose;
    for (TermId t : term.terms)
      if (terms[t].open && (operands || !inside) &&
          std::exchange(seen[std::uint64_t{t} << 1 | (inside ? 1 : 0)], 0) == kUnset)
        open.emplace_back(t, inside);
  }
}

bool Equality::shown(TermId before, TermId after, const std::set<std::string>& free_undefined,
                     const Index& running) {
  free_ = free_undefined;
  running_ = running;
  chosen_at_.clear();
  steps_ = std::min(kComparisons, kAllSteps - taken_);
  const int most = steps_;
  depth_ = 0;
  const bool out = equal(before, after, {});
  taken_ += most - std::max(steps_, 0);
  return out;
}

bool Equality::equal(TermId a, TermId b, const std::vector<PolyId>& facts) {
  if (terms_.same(a, b)) {  // undefined contents of both are thereby chosen, too
    bool ok = true;
    each_undefined(terms_, a, false,
                   [&](auto& t, bool) { ok = ok && (!free_.contains(terms_.text(t.text)) || chosen(t)); });
    return ok;
  }
  if (a == Terms::kBad || b == Terms::kBad) return false;
  if (--steps_ < 0 || depth_ > kNested) return !(cut_ = true);
  // Choices are recorded during the comparison, so that its answer holds for no other question.
  if (!free_.empty() && terms_[a].open) return compared(a, b, facts);
  const auto [at, is_new] = known_.try_emplace({{a, b}, facts}, false);
  if (!is_new) return at->second;
  const bool cut = std::exchange(cut_, false), out = compared(a, b, facts);
  if (cut_) {  // a later question may have more steps left for it
    known_.erase({{a, b}, facts});
  } else {
    known_[{{a, b}, facts}] = out;
  }
  cut_ = cut_ || cut;
  return out;
}

bool Equality::compared(TermId a, TermId b, const std::vector<PolyId>& facts) {
  const Term &x = terms_[a], &y = terms_[b];
  ++depth_;
  const bool out = x.kind == Term::Kind::choose   ? split(a, b, true, facts)
                   : y.kind == Term::Kind::choose ? split(b, a, false, facts)
                   : x.kind == Term::Kind::call   ? calls_equal(a, b)
                                                  : chosen(x) || parts_equal(x, y, facts);
  --depth_;
  return out;
}

bool Equality::chosen(const Term& before) {
  if (before.kind != Term::Kind::undefined || !free_.contains(terms_.text(before.text))) return false;
  const auto apart = [&](PolyId p) {
    return p == 0 || std::find(before.index.begin(), before.index.end(), p) != before.index.end();
  };
  return std::all_of(running_.begin(), running_.end(), apart) &&
         chosen_at_.emplace(before.text, before.index).first->second == before.index;
}

/// Splits by the first condition that the facts leave open. A case that contradicts the facts is skipped.
bool Equality::split(TermId choice, TermId other, bool choice_first, const std::vector<PolyId>& facts) {
  const Term& term = terms_[choice];
  const auto go = [&](TermId next, std::vector<PolyId> under, std::vector<PolyId> more = {}) {
    under.insert(under.end(), more.begin(), more.end());
    return choice_first ? equal(next, other, under) : equal(other, next, under);
  };
  for (const Condition& c : term.conditions) {
    const Truth truth = holds(space_, c, facts);
    if (truth == Truth::no) return go(term.terms[1], facts);
    if (truth == Truth::yes) continue;
    const PolyId minus = space_.scale(c.poly, -1);
    const auto otherwise = [&](PolyId fact) {
      return holds(space_, {false, fact}, facts) == Truth::no || go(term.terms[1], facts, {fact});
    };
    return go(choice, facts, c.zero ? Index{c.poly, minus} : Index{c.poly}) &&
           otherwise(space_.beyond(minus, 0)) && (!c.zero || otherwise(space_.beyond(c.poly, 0)));
  }
  return go(term.terms[0], facts);
}

bool Equality::parts_equal(const Term& a, const Term& b, std::vector<PolyId> facts) {
  if (a.kind ==
      Term::Kind::pack)  // `pack` binds the running byte: facts about a byte outside of it do not hold inside
    std::erase_if(facts, [&](PolyId f) { return space_.has_lane(f); });
  const auto same = [&](PolyId x, PolyId y) {
    return space_.same(x, y) || holds(space_, {true, space_.sub(x, y)}, facts) == Truth::yes;
  };
  const auto equals = [&](TermId x, TermId y) { return equal(x, y, facts); };
  return a.kind == b.kind && a.number == b.number && a.text == b.text &&
         std::ranges::equal(a.index, b.index, same) && std::ranges::equal(a.terms, b.terms, equals);
}

/// Operands are compared at every index, so no fact about the place of use may be used.
bool Equality::calls_equal(TermId a, TermId b) {
  const auto [at, is_new] = calls_.emplace(std::pair{a, b}, false);
  if (!is_new) return at->second;
  const std::set<std::string> free = std::exchange(free_, {});
  const Term &x = terms_[a], &y = terms_[b];
  const bool out = x.index == y.index && parts_equal(x, y, {});
  free_ = free;
  return calls_[{a, b}] = out;
}

}  // namespace noclobber
