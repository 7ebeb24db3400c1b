// Is a polynomial >= 0 over the ranges of its atoms? Atoms are replaced by a bound, latest first, so that
// each step needs only earlier atoms. Every step weakens: true is a proof, false is "not shown".
#include <algorithm>
#include <functional>
#include <set>

#include "checker/poly.h"

namespace noclobber {

namespace {
constexpr int kDepth = 24;             // replacements in a row
constexpr std::uint64_t kSteps = 400;  // replacements in all, for one question
constexpr std::size_t kFacts = 64;     // facts tried
}  // namespace

bool Space::nonnegative(PolyId a) {
  if (a == kBad) return false;
  if (const auto known = value(a)) return *known >= 0;
  if (const auto at = shown_.find(a); at != shown_.end()) return at->second;
  const bool outermost = budget_ == 0;
  if (outermost) budget_ = kSteps;
  const bool out = shown(a, facts_, kDepth);
  const bool spent = budget_ == 0;
  if (outermost) budget_ = 0;
  if (out || (outermost && !spent) || outermost) shown_[a] = out;
  return out;
}

bool Space::nonnegative(PolyId a, const std::vector<PolyId>& extra_facts) {
  if (extra_facts.empty()) return nonnegative(a);
  if (a == kBad) return false;
  std::vector<PolyId> facts = extra_facts;
  facts.insert(facts.end(), facts_.begin(), facts_.end());
  budget_ = kSteps;
  const bool out = shown(a, facts, kDepth);
  budget_ = 0;
  return out;
}

/// a = first * atom + second, where `second` has no `atom`; a higher power stays in first.
std::pair<Polynomial, Polynomial> Space::split(PolyId a, AtomId atom) const {
  Polynomial with, without;
  for (Monomial m : polys_[a]) {
    const auto at = std::find(m.atoms.begin(), m.atoms.end(), atom);
    if (at == m.atoms.end()) {
      without.push_back(std::move(m));
    } else {
      m.atoms.erase(at);
      with.push_back(std::move(m));
    }
  }
  std::sort(with.begin(), with.end(), [](const Monomial& x, const Monomial& y) { return x.atoms < y.atoms; });
  return {with, without};
}

bool Space::shown(PolyId a, const std::vector<PolyId>& facts, int depth) {
  if (a == kBad || depth == 0 || budget_ == 0) return false;
  --budget_;
  if (const auto known = value(a)) return *known >= 0;
  if (std::find(facts.begin(), facts.end(), a) != facts.end()) return true;
  std::set<AtomId, std::greater<>> atoms;
  for (const Monomial& m : polys_[a]) atoms.insert(m.atoms.begin(), m.atoms.end());
  if (bound_away(a, *atoms.begin(), facts, depth)) return true;
  // Relations between symbols show in the factor of another symbol: s * (t - u) with t >= u.
  const auto other = [&](AtomId which) {
    return which != *atoms.begin() && atoms_[which].kind == Atom::Kind::symbol &&
           bound_away(a, which, facts, depth);
  };
  const bool products =
      std::any_of(polys_[a].begin(), polys_[a].end(), [](const Monomial& m) { return m.atoms.size() > 1; });
  return (products && std::any_of(atoms.begin(), atoms.end(), other)) || by_fact(a, facts, depth);
}

/// a = slope * atom + rest: with slope >= 0 the atom's lower bound is the worst case, with slope <= 0 the
/// upper one.
bool Space::bound_away(PolyId a, AtomId which, const std::vector<PolyId>& facts, int depth) {
  auto [with, without] = split(a, which);
  const PolyId slope = intern(std::move(with));
  const PolyId rest = intern(std::move(without));
  const Atom atom = atoms_[which];
  const bool up = shown(slope, facts, depth - 1);
  if (!up && !shown(scale(slope, -1), facts, depth - 1)) return false;
  const auto at = [&](PolyId bound) { return shown(add(mul(slope, bound), rest), facts, depth - 1); };
  switch (atom.kind) {
    case Atom::Kind::symbol:
    case Atom::Kind::opaque:
      if (up) return atom.bounded_below && at(constant(atom.least));
      return atom.most && at(constant(*atom.most));
    case Atom::Kind::index:
      return up ? at(0) : at(sub(atom.first, constant(1)));
    case Atom::Kind::quotient:
      return through_quotient(slope, rest, atom, up, facts, depth);
  }
  return false;
}

/// For q = floor(p / d), d > 0: p - d + 1 <= d * q <= p, and q >= 0 if p >= 0.
bool Space::through_quotient(PolyId slope, PolyId rest, const Atom& q, bool up,
                             const std::vector<PolyId>& facts, int depth) {
  if (up && shown(q.first, facts, depth - 1) && shown(rest, facts, depth - 1)) return true;
  const PolyId bound = up ? add(sub(q.first, q.second), constant(1)) : q.first;
  return shown(add(mul(slope, bound), mul(q.second, rest)), facts, depth - 1);
}

/// a >= 0 follows from fact >= 0 and a - fact >= 0.
bool Space::by_fact(PolyId a, const std::vector<PolyId>& facts, int depth) {
  for (std::size_t k = 0; k < std::min(facts.size(), kFacts) && budget_ > 0; ++k) {
    const PolyId rest = sub(a, facts[k]);
    if (rest == kBad || rest == a || polys_[rest].size() > polys_[a].size()) continue;
    std::vector<PolyId> others = facts;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    if (shown(rest, others, std::min(depth - 1, 8))) return true;
  }
  return false;
}

}  // namespace noclobber
