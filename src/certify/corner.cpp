#include "src/certify/corner.h"

#include <algorithm>
#include <map>

namespace noclobber {
namespace {

/// A choice of numbers for all symbols and indices, each at an end of its range, that makes a polynomial
/// small. If it is negative there and all facts hold, it cannot be shown to be >= 0.
class Corner {
 public:
  Corner(const Space& space, PolyId small) : space_(space) { choose(small, true); }

  /// Empty if it has no value, or overflows.
  std::optional<std::int64_t> value(PolyId p) {
    if (p == Space::kBad) return std::nullopt;
    std::int64_t sum = 0;
    for (const Monomial& m : space_.terms(p)) {
      std::int64_t product = m.factor;
      for (const AtomId id : space_.atoms(m)) {
        const auto one = value_of(id);
        if (!one || __builtin_mul_overflow(product, *one, &product)) return std::nullopt;
      }
      if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
    }
    return sum;
  }

 private:
  /// Atoms with a positive factor take their least value, those with a negative one their greatest.
  void choose(PolyId p, bool down) {
    if (p == Space::kBad) return;
    for (const Monomial& m : space_.terms(p))
      for (const AtomId id : space_.atoms(m)) {
        const bool falls = down == (m.factor > 0);
        if (!down_.emplace(id, falls).second) continue;
        const Atom& atom = space_.atom(id);
        if (atom.kind == Atom::Kind::quotient) choose(atom.first, falls);
      }
  }
  std::optional<std::int64_t> value_of(AtomId id) {
    if (const auto known = values_.find(id); known != values_.end()) return known->second;
    const Atom& atom = space_.atom(id);
    const auto at = down_.find(id);
    const bool down = at == down_.end() || at->second;
    std::optional<std::int64_t> out;
    if (atom.kind == Atom::Kind::index) {
      const auto extent = value(atom.first);
      if (extent && *extent > 0) out = down ? 0 : *extent - 1;
    } else if (atom.kind == Atom::Kind::symbol) {
      if (down && atom.bounded_below)
        out = atom.least;
      else if (atom.most)
        out = atom.most;
    } else if (atom.kind == Atom::Kind::quotient) {
      const auto dividend = value(atom.first), divisor = value(atom.second);
      if (dividend && divisor && *divisor > 0)
        out = *dividend / *divisor - (*dividend % *divisor < 0 ? 1 : 0);
    }
    return values_[id] = out;
  }

  const Space& space_;
  std::map<AtomId, bool> down_;
  std::map<AtomId, std::optional<std::int64_t>> values_;
};

/// True if the polynomial takes its lower bound, as a sum of indices with constant extents does: each index
/// is in one term. Without facts, such a polynomial whose bound is negative is refuted.
bool takes_its_bound(const Space& space, PolyId poly) {
  return std::ranges::all_of(space.terms(poly), [&](const Monomial& m) {
    const Product& product = space.atoms(m);
    if (product.empty()) return true;
    const Atom& atom = space.atom(product[0]);
    return product.size() == 1 && atom.kind == Atom::Kind::index && atom.most && space.value(atom.first);
  });
}

}  // namespace

bool is_refuted(const Space& space, PolyId poly, const std::vector<PolyId>& facts) {
  if (facts.empty() && space.facts().empty() && takes_its_bound(space, poly)) return !space.plain(poly);
  Corner corner(space, poly);
  const auto value = corner.value(poly);
  const auto holds = [&](PolyId fact) { return corner.value(fact).value_or(-1) >= 0; };
  return value && *value < 0 && std::ranges::all_of(facts, holds) &&
         std::ranges::all_of(space.facts(), holds);
}

}  // namespace noclobber
