#include "src/ops/sizes.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

namespace noclobber {

namespace {
constexpr std::int64_t kOpenBelow = -(std::int64_t{1} << 62);  // a lower minimum counts as none
constexpr std::int64_t kOpenAbove = -kOpenBelow;
}  // namespace

void Sizes::declare(const std::map<std::string, SymbolRange>& given, const std::vector<SymRelation>& assume) {
  std::map<std::string, SymbolRange> symbols = given;
  for (const SymRelation& relation : assume) divisible(relation, symbols);
  for (const SymRelation& relation : assume) narrow(relation, symbols);
  for (auto& [name, range] : symbols) {
    if (const auto unit = multiples_.find(name); unit != multiples_.end() && range.multiple_of == 1)
      range.multiple_of = unit->second;
    const std::int64_t unit = range.multiple_of;
    if (range.max && unit > 1 && range.min >= 0 && range.min < kOpenAbove)
      range.min = (range.min + unit - 1) / unit * unit, range.max = *range.max / unit * unit;
    if (range.max && *range.max == range.min) fixed_[name] = range.min;
    if (unit > 1) multiples_[name] = unit;
    if (unit > 1 && range.min >= 0) {  // the symbol is `unit` times a new symbol
      space_.range(name + "/" + std::to_string(unit), (range.min + unit - 1) / unit,
                   range.max ? std::optional(*range.max / unit) : std::nullopt);
    } else {
      multiples_.erase(name);
      space_.range(name, range.min, range.max);
    }
  }
  for (const SymRelation& relation : assume) eliminate(relation, symbols);
  for (const SymRelation& relation : assume) positive_factors(relation);
  std::set<PolyId> known;  // nonnegative by a relation
  const auto assumed = [&](PolyId size) {
    space_.assume_nonnegative(size);
    known.insert(size);
  };
  for (const SymRelation& relation : assume) {
    const PolyId gap = space_.sub(of(relation.right), of(relation.left));
    switch (relation.kind) {
      case SymRelation::Kind::eq:
        assumed(gap);
        assumed(space_.scale(gap, -1));
        counted(gap);
        break;
      case SymRelation::Kind::ne:
        break;
      case SymRelation::Kind::lt:
        assumed(space_.sub(gap, space_.constant(1)));
        break;
      case SymRelation::Kind::le:
        assumed(gap);
        break;
    }
  }
  for (int round = 0; round < 2; ++round)  // a size other than 0 may be 1, which another relation excludes
    for (const SymRelation& relation : assume) {
      if (relation.kind != SymRelation::Kind::ne) continue;
      const PolyId gap = space_.sub(of(relation.right), of(relation.left));
      for (const PolyId side : {gap, space_.scale(gap, -1)})
        if (known.contains(side)) assumed(space_.sub(side, space_.constant(1)));
    }
}

/// If gap = 0 says that a // b is the constant n: n * b <= a < (n + 1) * b.
void Sizes::counted(PolyId gap) {
  if (gap == Space::kBad) return;
  const Polynomial terms = space_.terms(gap);
  const bool constant = terms.size() == 2 && std::ranges::any_of(terms, [&](const Monomial& m) {
                          return space_.atoms(m).empty();
                        });
  for (const Monomial& m : terms) {
    const Product own = space_.atoms(m);
    if (!constant || own.size() != 1 || std::abs(m.factor) != 1) continue;
    const Atom atom = space_.atom(own[0]);
    if (atom.kind != Atom::Kind::quotient) continue;
    const std::int64_t other = (terms[0] == m ? terms[1] : terms[0]).factor;
    const PolyId least = space_.scale(atom.second, m.factor > 0 ? -other : other);
    const PolyId above = space_.sub(atom.first, least);
    space_.assume_nonnegative(above);
    space_.assume_nonnegative(space_.sub(space_.sub(atom.second, space_.constant(1)), above));
  }
}

/// 0 < a * b and 0 < a imply 0 < b.
void Sizes::positive_factors(const SymRelation& relation) {
  if (relation.kind != SymRelation::Kind::lt || relation.left != SymExpr(0)) return;
  const PolyId product = of(relation.right);
  if (product == Space::kBad || space_.terms(product).size() != 1 || space_.terms(product)[0].factor <= 0)
    return;
  const Product atoms = space_.atoms(space_.terms(product)[0]);
  for (std::size_t k = 0; k < atoms.size(); ++k) {
    bool others = true;
    for (std::size_t j = 0; j < atoms.size(); ++j) {
      const Atom& atom = space_.atom(atoms[j]);
      others =
          others && (j == k || (atom.kind == Atom::Kind::symbol && atom.bounded_below && atom.least >= 1));
    }
    const Atom atom = space_.atom(atoms[k]);
    if (others && atom.kind == Atom::Kind::symbol && !(atom.bounded_below && atom.least >= 1))
      space_.range(atom.name, 1, atom.most);
  }
}

/// Solves an equality that is linear in a symbol, with factor one, for that symbol. Its range remains a fact.
void Sizes::eliminate(const SymRelation& relation, const std::map<std::string, SymbolRange>& symbols) {
  if (relation.kind != SymRelation::Kind::eq) return;
  const PolyId gap = space_.sub(of(relation.right), of(relation.left));
  if (gap == Space::kBad) return;
  const Polynomial terms = space_.terms(gap);
  std::int64_t unit = 0;
  for (const Monomial& m : terms) unit = std::gcd(unit, m.factor);
  for (const Monomial& m : terms) {
    const Product own = space_.atoms(m);
    const bool alone = own.size() == 1 && std::ranges::count_if(terms, [&](const Monomial& o) {
                                            return std::ranges::count(space_.atoms(o), own[0]) > 0;
                                          }) == 1;
    if (!alone || (m.factor != unit && m.factor != -unit)) continue;
    const Atom atom = space_.atom(own[0]);
    const auto range = symbols.find(atom.name);
    if (atom.kind != Atom::Kind::symbol || range == symbols.end() || eliminated_.contains(atom.name))
      continue;
    PolyId others = 0;  // unit * (symbol's sign * symbol + others) = 0
    for (const Monomial& o : terms) {
      if (o == m) continue;
      PolyId term = space_.constant(o.factor / unit);
      for (AtomId other : Product(space_.atoms(o))) {
        if (space_.atom(other).kind != Atom::Kind::symbol) return;
        term = space_.mul(term, space_.symbol(std::string(space_.atom(other).name)));
      }
      others = space_.add(others, term);
    }
    const PolyId value = m.factor > 0 ? space_.scale(others, -1) : others;
    if (value == Space::kBad) return;
    eliminated_[atom.name] = value;
    if (range->second.min > kOpenBelow)
      space_.assume_nonnegative(space_.sub(value, space_.constant(range->second.min)));
    if (range->second.max) space_.assume_nonnegative(space_.sub(space_.constant(*range->second.max), value));
    return;
  }
}

/// The minimum (sign 1) or maximum (sign -1) if it is known, else opaque.
PolyId Sizes::lesser(PolyId a, PolyId b, const char* name, int sign) {
  const PolyId gap = space_.scale(space_.sub(b, a), sign);
  if (space_.nonnegative(gap)) return a;
  if (space_.nonnegative(space_.scale(gap, -1))) return b;
  return space_.opaque(name, {std::min(a, b), std::max(a, b)});
}

namespace {
/// The only number within the bounds of all atoms; empty if there are several.
std::optional<std::int64_t> only_value(Space& space, PolyId of) {
  std::int64_t sum = 0;
  if (of == Space::kBad) return std::nullopt;
  for (const Monomial& m : space.terms(of)) {
    std::int64_t part = m.factor;
    for (const AtomId id : space.atoms(m)) {
      const Atom& atom = space.atom(id);
      if (!atom.bounded_below || atom.most != atom.least || __builtin_mul_overflow(part, atom.least, &part))
        return std::nullopt;
    }
    if (__builtin_add_overflow(sum, part, &sum)) return std::nullopt;
  }
  return sum;
}

/// The one atom of `a` that is a quotient by a number, with factor one; empty if there is none, or several.
std::optional<AtomId> quotient_within(Space& space, PolyId a) {
  std::optional<AtomId> out;
  for (const Monomial& m : space.terms(a)) {
    const Product& product = space.atoms(m);
    if (product.size() != 1 || space.atom(product[0]).kind != Atom::Kind::quotient) continue;
    if (out || m.factor != 1 || !space.value(space.atom(product[0]).second)) return std::nullopt;
    out = product[0];
  }
  return out;
}
}  // namespace

PolyId floor_quotient_of(Space& space, PolyId a, PolyId b) {
  const PolyId plain = space.quotient(a, b);
  if (plain == Space::kBad) return plain;
  if (const auto only = only_value(space, plain)) return space.constant(*only);
  const auto itself = [&](AtomId atom) { return space.of({space.monomial({atom}, 1)}); };
  const auto outside = quotient_within(space, plain);
  if (!outside) return plain;
  const Atom outer = space.atom(*outside);
  const auto inside = quotient_within(space, outer.first);
  if (!inside) return plain;
  const Atom inner = space.atom(*inside);
  const PolyId beside = space.sub(outer.first, itself(*inside));
  const PolyId merged = floor_quotient_of(space, space.add(inner.first, space.mul(beside, inner.second)),
                                          space.mul(inner.second, outer.second));
  return merged == Space::kBad ? plain : space.add(space.sub(plain, itself(*outside)), merged);
}

PolyId Sizes::apply(SymExpr::Op op, PolyId a, PolyId b) {
  const auto opaque_unless = [&](PolyId known, const char* name) {
    return known != Space::kBad ? known : space_.opaque(name, {a, b});
  };
  switch (op) {
    case SymExpr::Op::add:
      return space_.add(a, b);
    case SymExpr::Op::mul:
      return space_.mul(a, b);
    case SymExpr::Op::floor_div:
      return opaque_unless(floor_quotient_of(space_, a, b), "div");
    case SymExpr::Op::mod:
      return opaque_unless(space_.sub(a, space_.mul(b, floor_quotient_of(space_, a, b))), "mod");
    case SymExpr::Op::min:
      return lesser(a, b, "min", 1);
    case SymExpr::Op::max:
      return lesser(a, b, "max", -1);
    case SymExpr::Op::pow: {
      const auto exponent = space_.value(b);
      if (!exponent || *exponent < 0 || *exponent > 8) return space_.opaque("pow", {a, b});
      PolyId out = space_.constant(1);
      for (std::int64_t k = 0; k < *exponent; ++k) out = space_.mul(out, a);
      return out;
    }
    case SymExpr::Op::constant:
    case SymExpr::Op::symbol:
    case SymExpr::Op::opaque:
      return Space::kBad;
  }
  return Space::kBad;
}

PolyId Sizes::symbol(const std::string& name) {
  if (const auto at = fixed_.find(name); at != fixed_.end()) return space_.constant(at->second);
  if (const auto at = eliminated_.find(name); at != eliminated_.end()) return at->second;
  const auto unit = multiples_.find(name);
  if (unit == multiples_.end()) return space_.symbol(name);
  return space_.scale(space_.symbol(name + "/" + std::to_string(unit->second)), unit->second);
}

PolyId Sizes::of(const SymExpr& expression) {
  if (expression.is_constant()) return space_.constant(expression.constant());
  std::vector<PolyId> stack;
  const auto pop = [&stack] {
    if (stack.empty()) return Space::kBad;
    const PolyId out = stack.back();
    stack.pop_back();
    return out;
  };
  for (const SymExpr::Node& node : expression.nodes()) {
    if (node.op == SymExpr::Op::constant) {
      stack.push_back(space_.constant(node.number));
    } else if (node.op == SymExpr::Op::symbol) {
      stack.push_back(symbol(node.text));
    } else if (node.op == SymExpr::Op::opaque) {
      std::vector<PolyId> arguments;
      for (std::int64_t k = 0; k < node.number; ++k) arguments.insert(arguments.begin(), pop());
      stack.push_back(space_.opaque(node.text, std::move(arguments)));
    } else {
      const PolyId b = pop();
      const PolyId a = pop();
      stack.push_back(apply(node.op, a, b));
    }
  }
  return pop();
}

Shape Sizes::of(const std::vector<SymExpr>& expressions) {
  Shape out;
  out.reserve(expressions.size());
  for (const SymExpr& e : expressions) out.push_back(of(e));
  return out;
}

std::vector<PolyId> contiguous_strides(Space& space, const Shape& shape) {
  std::vector<PolyId> out(shape.size(), 0);
  PolyId stride = space.constant(1);
  for (std::size_t k = shape.size(); k-- > 0;) {
    out[k] = stride;
    stride = space.mul(stride, shape[k]);
  }
  return out;
}

}  // namespace noclobber
