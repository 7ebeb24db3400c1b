#include "checker/term.h"

#include <algorithm>

namespace noclobber {

namespace {
constexpr int kSteps = 20000;  // comparisons for one question
constexpr int kNested = 200;

/// Does `good` hold for whatever is undefined in a content, but for operands?
template <class Good>
bool all_undefined(const Terms& terms, TermId whole, const Good& good) {
  std::set<TermId> seen{whole};
  for (std::vector<TermId> open{whole}; !open.empty();) {
    const Term& term = terms[open.back()];
    open.pop_back();
    if (term.kind == Term::Kind::undefined && !good(term)) return false;
    for (TermId t : term.terms)
      if (term.kind == Term::Kind::choose && seen.insert(t).second) open.push_back(t);
  }
  return true;
}
}  // namespace

bool Equality::shown(TermId before, TermId after, const std::set<std::string>& free_undefined,
                     const Index& running) {
  free_ = &free_undefined;
  running_ = running;
  chosen_at_.clear();
  steps_ = kSteps;
  depth_ = 0;
  return equal(before, after, {});
}

bool Equality::equal(TermId a, TermId b, const std::vector<PolyId>& facts) {
  if (terms_.same(a, b))  // what is undefined in both is thereby chosen, too
    return all_undefined(terms_, a, [&](const Term& t) { return !free_->contains(t.text) || chosen(t); });
  if (a == Terms::kBad || b == Terms::kBad || --steps_ < 0 || depth_ > kNested) return false;
  ++depth_;
  const Term x = terms_[a];
  const Term y = terms_[b];
  bool out = false;
  if (x.kind == Term::Kind::choose) {
    out = split(a, b, true, facts);
  } else if (y.kind == Term::Kind::choose) {
    out = split(b, a, false, facts);
  } else {
    out = chosen(x) || leaves_equal(x, y, facts);
  }
  --depth_;
  return out;
}

bool Equality::chosen(const Term& before) {
  if (before.kind != Term::Kind::undefined || !free_->contains(before.text)) return false;
  const auto apart = [&](PolyId p) {
    return p == 0 || std::find(before.index.begin(), before.index.end(), p) != before.index.end();
  };
  return std::all_of(running_.begin(), running_.end(), apart) &&
         chosen_at_.emplace(before.text, before.index).first->second == before.index;
}

/// Both ways of the first condition that the facts leave open; a way that contradicts the facts is skipped.
bool Equality::split(TermId choice, TermId other, bool choice_first, const std::vector<PolyId>& facts) {
  const Term term = terms_[choice];
  const auto go = [&](TermId next, const std::vector<PolyId>& under) {
    return choice_first ? equal(next, other, under) : equal(other, next, under);
  };
  for (const Condition& c : term.conditions) {
    const Truth truth = holds(space_, c, facts);
    if (truth == Truth::no) return go(term.terms[1], facts);
    if (truth == Truth::yes) continue;
    const PolyId minus = space_.scale(c.poly, -1);
    std::vector<PolyId> yes = facts, below = facts, above = facts;
    yes.push_back(c.poly);
    if (c.zero) yes.push_back(minus);
    below.push_back(space_.sub(minus, space_.constant(1)));
    above.push_back(space_.sub(c.poly, space_.constant(1)));
    const auto otherwise = [&](const std::vector<PolyId>& under) {
      return holds(space_, {false, under.back()}, facts) == Truth::no || go(term.terms[1], under);
    };
    return go(choice, yes) && otherwise(below) && (!c.zero || otherwise(above));
  }
  return go(term.terms[0], facts);
}

bool Equality::indices_equal(const Term& a, const Term& b, const std::vector<PolyId>& facts) {
  if (a.index.size() != b.index.size()) return false;
  for (std::size_t k = 0; k < a.index.size(); ++k)
    if (holds(space_, {true, space_.sub(a.index[k], b.index[k])}, facts) != Truth::yes) return false;
  return true;
}

bool Equality::leaves_equal(const Term& a, const Term& b, const std::vector<PolyId>& facts) {
  if (a.kind != b.kind || a.terms.size() != b.terms.size() || a.number != b.number || a.text != b.text ||
      !indices_equal(a, b, facts))
    return false;
  switch (a.kind) {
    case Term::Kind::result: return calls_equal(a.terms[0], b.terms[0]);
    case Term::Kind::cast:
    case Term::Kind::byte:
    case Term::Kind::each:
    case Term::Kind::when:
      for (std::size_t k = 0; k < a.terms.size(); ++k)
        if (!equal(a.terms[k], b.terms[k], facts)) return false;
      return true;
    case Term::Kind::pack: {  // binds the running byte: what is known of that byte outside is not known here
      std::vector<PolyId> outside;
      std::copy_if(facts.begin(), facts.end(), std::back_inserter(outside),
                   [&](PolyId f) { return !space_.has_lane(f); });
      return equal(a.terms[0], b.terms[0], outside);
    }
    case Term::Kind::start:
    case Term::Kind::undefined:
    case Term::Kind::scalar: return true;
    case Term::Kind::call: return calls_equal(terms_.intern(a), terms_.intern(b));
    case Term::Kind::bad:
    case Term::Kind::choose: return false;
  }
  return false;
}

/// Operands are compared at every index, so no fact about the place of use may be used.
bool Equality::calls_equal(TermId a, TermId b) {
  if (terms_.same(a, b)) return true;
  const auto [at, is_new] = calls_.emplace(std::pair{a, b}, false);
  if (!is_new) return at->second;
  const Term x = terms_[a];
  const Term y = terms_[b];
  bool out = x.kind == Term::Kind::call && y.kind == x.kind && x.text == y.text && x.index == y.index &&
             x.terms.size() == y.terms.size();
  static const std::set<std::string> kNone;
  const std::set<std::string>* free = std::exchange(free_, &kNone);
  for (std::size_t k = 0; out && k < x.terms.size(); ++k) out = equal(x.terms[k], y.terms[k], {});
  free_ = free;
  return calls_[{a, b}] = out;
}

}  // namespace noclobber
