// Is a polynomial >= 0? By the constant bounds of its atoms, or by a derivation that is replayed here.
#include <algorithm>

#include "checker/poly.h"

namespace noclobber {

namespace {
/// Atoms of a polynomial that stand for something only where it exists: indices and quotients, also inside
/// of other atoms.
void existing(const Space& space, PolyId a, std::set<AtomId>& out) {
  for (std::vector<PolyId> open{a}; !open.empty();) {
    const Polynomial& all = space.terms(open.back());
    open.pop_back();
    for (const Monomial& m : all)
      for (AtomId id : m.atoms) {
        const Atom& atom = space.atom(id);
        if (atom.kind == Atom::Kind::symbol || !out.insert(id).second) continue;
        open.insert(open.end(), {atom.first, atom.second});
        open.insert(open.end(), atom.arguments.begin(), atom.arguments.end());
      }
  }
}

/// An index exists only where its extent is positive, a quotient where its divisor is: a line about one says
/// nothing of places where it is not. So each must occur in what is shown, or in a fact that is used.
bool about_itself(const Space& space, const Derivation& d, PolyId shown) {
  std::set<AtomId> known, used;
  existing(space, shown, known);
  for (PolyId f : d.facts) existing(space, f, known);
  for (const Line& l : d.lines) existing(space, l.poly, l.rule == Line::Rule::fact ? known : used);
  return std::includes(known.begin(), known.end(), used.begin(), used.end());
}
}  // namespace

/// Least or greatest value of factor * product, where the atoms' constant bounds give one.
std::optional<std::int64_t> Space::bound(const Monomial& m, bool upper) const {
  std::int64_t low = 1, high = 1;
  bool open = false;  // high is not known
  for (AtomId a : m.atoms) {
    const Atom& atom = atoms_[a];
    const bool single = m.atoms.size() == 1;
    if (!atom.bounded_below || (atom.least < 0 && !single)) return std::nullopt;
    if (__builtin_mul_overflow(low, atom.least, &low)) return std::nullopt;
    open = open || !atom.most || __builtin_mul_overflow(high, *atom.most, &high);
  }
  std::int64_t out = upper == (m.factor > 0) ? high : low;
  if (open && upper == (m.factor > 0)) return std::nullopt;
  if (__builtin_mul_overflow(out, m.factor, &out)) return std::nullopt;
  return out;
}

std::optional<std::int64_t> Space::bound(PolyId a, bool upper) const {
  std::int64_t sum = 0;
  for (const Monomial& m : polys_[a]) {
    const auto part = bound(m, upper);
    if (!part || __builtin_add_overflow(sum, *part, &sum)) return std::nullopt;
  }
  return sum;
}

bool Space::known(PolyId a, const std::vector<PolyId>& facts) {
  const auto at = known_.find(a);
  if (at == known_.end()) return false;
  for (const Known& k : at->second) {
    const auto given = [&](PolyId f) { return std::find(facts.begin(), facts.end(), f) != facts.end(); };
    if (!std::all_of(k.facts.begin(), k.facts.end(), given)) continue;
    used_.insert(k.derivation);
    return true;
  }
  return false;
}

bool Space::nonnegative(PolyId a, const std::vector<PolyId>& facts) {
  if (a == kBad) return false;
  if (plain(a) || known(a, facts)) return true;
  if (!finder_ || (facts.empty() && not_found_.contains(a))) return false;
  const auto found = finder_(*this, a, facts);
  if (found && derive(*found)) return known(a, facts);
  if (facts.empty()) not_found_.insert(a);
  return false;
}

bool Space::derive(const Derivation& derivation) {
  std::vector<PolyId> shown;
  for (const Line& next : derivation.lines) {
    shown.push_back(line(next, derivation.facts, shown));
    if (shown.back() == kBad) return false;
  }
  if (shown.empty() || !about_itself(*this, derivation, shown.back())) return false;
  Known entry{derivation.facts, derivations_.size()};
  std::sort(entry.facts.begin(), entry.facts.end());
  for (const Known& k : known_[shown.back()])
    if (k.facts == entry.facts) return false;
  known_[shown.back()].push_back(std::move(entry));
  derivations_.push_back(derivation);
  return true;
}

/// What one line shows to be >= 0; kBad if it shows nothing.
PolyId Space::line(const Line& l, const std::vector<PolyId>& facts, const std::vector<PolyId>& shown) {
  const auto has = [&](const std::vector<PolyId>& in) {
    return std::find(in.begin(), in.end(), l.poly) != in.end();
  };
  const std::size_t lines = shown.size();
  switch (l.rule) {
    case Line::Rule::plain: return plain(l.poly) ? l.poly : kBad;
    case Line::Rule::fact: return has(facts) || has(facts_) ? l.poly : kBad;
    case Line::Rule::below:
    case Line::Rule::above:
    case Line::Rule::divisor: {
      const Polynomial& p = polys_[l.poly];
      const bool atom = p.size() == 1 && p[0].factor == 1 && p[0].atoms.size() == 1;
      return atom ? of_quotient(l, Atom(atoms_[p[0].atoms[0]])) : kBad;
    }
    case Line::Rule::add: return l.a < lines && l.b < lines ? add(shown[l.a], shown[l.b]) : kBad;
    case Line::Rule::multiply: return l.a < lines && l.b < lines ? mul(shown[l.a], shown[l.b]) : kBad;
    case Line::Rule::divide: {
      if (l.a >= lines || l.b >= lines || l.c >= lines) return kBad;
      const PolyId last = sub(l.by, constant(1));
      const PolyId rest = sub(shown[l.a], mul(l.by, l.poly));
      return same(shown[l.b], sub(last, rest)) && same(shown[l.c], last) ? l.poly : kBad;
    }
  }
  return kBad;
}

PolyId Space::of_quotient(const Line& l, const Atom& q) {
  if (l.rule == Line::Rule::below && q.kind == Atom::Kind::index)
    return sub(sub(q.first, constant(1)), l.poly);
  if (q.kind != Atom::Kind::quotient) return kBad;
  const PolyId last = sub(q.second, constant(1));
  const PolyId inside = sub(q.first, mul(q.second, l.poly));
  if (l.rule == Line::Rule::divisor) return last;
  return l.rule == Line::Rule::below ? inside : sub(last, inside);
}

}  // namespace noclobber
