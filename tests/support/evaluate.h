// Values of polynomials under one choice of symbols and indices; independent of how Space rewrites them.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/trace/map.h"

namespace noclobber::testing {

/// Values of atoms: symbols and opaque functions by name, indices by (position, extent).
struct Choice {
  std::map<std::string, std::int64_t> symbols;
  std::map<std::pair<std::uint32_t, PolyId>, std::int64_t> indices;
};

inline std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

/// Nothing: kBad, a value that was not chosen, or a division by what is not positive.
inline std::optional<std::int64_t> evaluate(const Space& space, PolyId poly, const Choice& choice) {
  if (poly == Space::kBad) return std::nullopt;
  std::int64_t sum = 0;
  for (const Monomial& m : space.terms(poly)) {
    std::int64_t product = m.factor;
    for (const AtomId id : space.atoms(m)) {
      const Atom& atom = space.atom(id);
      std::optional<std::int64_t> value;
      if (atom.kind == Atom::Kind::quotient) {
        const auto a = evaluate(space, atom.first, choice), b = evaluate(space, atom.second, choice);
        if (a && b && *b > 0) value = floor_of(*a, *b);
      } else if (atom.kind == Atom::Kind::index) {
        if (const auto at = choice.indices.find({atom.position, atom.first}); at != choice.indices.end())
          value = at->second;
      } else if (const auto at = choice.symbols.find(atom.name); at != choice.symbols.end()) {
        value = at->second;
      }
      if (!value || __builtin_mul_overflow(product, *value, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

/// For messages only.
inline std::string readable(const Space& space, PolyId poly) {
  if (poly == Space::kBad) return "bad";
  std::string out;
  for (const Monomial& m : space.terms(poly)) {
    out += " + " + std::to_string(m.factor);
    for (const AtomId id : space.atoms(m)) {
      const Atom& atom = space.atom(id);
      if (atom.kind == Atom::Kind::quotient)
        out += "*((" + readable(space, atom.first) + ") // (" + readable(space, atom.second) + "))";
      if (atom.kind == Atom::Kind::index)
        out += "*i" + std::to_string(atom.position) + "<(" + readable(space, atom.first) + ")";
      if (atom.kind == Atom::Kind::symbol || atom.kind == Atom::Kind::opaque) out += "*" + atom.name;
    }
  }
  return out;
}

inline bool satisfied(const Condition& condition, std::int64_t value) {
  return condition.zero ? value == 0 : value >= 0;
}

}  // namespace noclobber::testing
