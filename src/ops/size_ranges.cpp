// Derives ranges of single symbols from relations between sizes.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "src/ops/number_math.h"
#include "src/ops/sizes.h"

namespace noclobber {

namespace {
constexpr std::int64_t kMostUnit = 1 << 20;
constexpr std::int64_t kMostPower = std::int64_t{1} << 42;  // exact enough in double, and so are the roots

struct Part {
  std::int64_t factor;
  Product atoms;
};

/// The terms of an expression that a relation says is 0, without the symbols of at least 1 that divide every
/// term.
std::vector<Part> parts_of(Space& plain, PolyId gap, const std::map<std::string, SymbolRange>& symbols) {
  std::vector<Part> out;
  if (gap == Space::kBad) return out;
  for (const Monomial& m : plain.terms(gap)) out.push_back({m.factor, plain.atoms(m)});
  if (out.size() < 2) return out;
  for (const AtomId atom : Product(out[0].atoms)) {
    const auto range = symbols.find(plain.atom(atom).name);
    const bool positive =
        plain.atom(atom).kind == Atom::Kind::symbol && range != symbols.end() && range->second.min >= 1;
    if (!positive || !std::ranges::all_of(out, [&](const Part& part) {
          return std::ranges::find(part.atoms, atom) != part.atoms.end();
        }))
      continue;
    for (Part& part : out) part.atoms.erase(std::ranges::find(part.atoms, atom));
  }
  return out;
}

}  // namespace

/// "Mod(s, 2) == 0" and "2*((s - 1)//2) + 2 == s" imply what a range's multiple_of states: s is a sum of
/// multiples of 2.
void Sizes::divisible(const SymRelation& relation, const std::map<std::string, SymbolRange>& symbols) {
  if (relation.kind != SymRelation::Kind::eq) return;
  Space plain;
  Sizes sizes(plain);
  const auto parts = parts_of(plain, plain.sub(sizes.of(relation.right), sizes.of(relation.left)), symbols);
  for (const Part& one : parts) {
    if (one.atoms.size() != 1 || std::abs(one.factor) != 1) continue;
    const Atom& symbol = plain.atom(one.atoms[0]);
    std::int64_t unit = 0;
    bool quotients = false, integers = symbol.kind == Atom::Kind::symbol;
    for (const Part& other : parts) {
      if (&other == &one) continue;
      unit = std::gcd(unit, other.factor);
      for (const AtomId atom : other.atoms) {
        quotients = quotients || plain.atom(atom).kind == Atom::Kind::quotient;
        integers = integers && atom != one.atoms[0] && plain.atom(atom).kind != Atom::Kind::opaque;
      }
    }
    if (!quotients || !integers || unit <= 1 || unit > kMostUnit) continue;
    std::int64_t& known = multiples_.try_emplace(symbol.name, 1).first->second;
    if (known <= kMostUnit) known = std::lcm(known, unit);
  }
}

namespace {
/// The nonnegative number whose power `count` is `n`; empty if there is none.
std::optional<std::int64_t> root_of(std::int64_t n, std::size_t count) {
  if (n < 0 || n > kMostPower) return std::nullopt;
  const auto root = std::llround(std::pow(static_cast<double>(n), 1.0 / static_cast<double>(count)));
  std::int64_t power = 1;
  for (std::size_t k = 0; k < count; ++k)
    if (__builtin_mul_overflow(power, root, &power)) return std::nullopt;
  return power == n ? std::optional<std::int64_t>(root) : std::nullopt;
}

bool is_within(std::int64_t number, std::int64_t most) { return number >= -most && number <= most; }

/// Splits a size into one product with its factor and a number, both small enough for this arithmetic. Empty
/// if it has another form.
std::optional<std::pair<Monomial, std::int64_t>> apart_from_number(Space& plain, PolyId of) {
  std::optional<std::pair<Monomial, std::int64_t>> out;
  std::int64_t number = 0;
  if (of == Space::kBad) return out;
  for (const Monomial& m : Polynomial(plain.terms(of))) {
    if (plain.atoms(m).empty()) {
      number = m.factor;
    } else if (out) {
      return std::nullopt;
    } else {
      out.emplace(m, 0);
    }
  }
  if (!out || !is_within(out->first.factor, kMostUnit) || !is_within(number, kMostPower)) return std::nullopt;
  out->second = number;
  return out;
}

/// An atom times a factor, plus a number.
struct Linear {
  std::int64_t factor = 0, number = 0;
  Atom atom;
  std::int64_t by = 0;  // divisor, if the atom is a quotient; else 0
};

std::optional<Linear> line_of(Space& plain, PolyId size) {
  const auto line = apart_from_number(plain, size);
  const Product of = line ? plain.atoms(line->first) : Product{};
  if (of.size() != 1) return std::nullopt;
  Linear out{line->first.factor, line->second, plain.atom(of[0])};
  const bool divides = out.atom.kind == Atom::Kind::quotient;
  if (divides) out.by = plain.value(out.atom.second).value_or(0);
  return out.by <= kMostUnit && divides == (out.by > 0) ? std::optional(out) : std::nullopt;
}

/// Narrows the range of a symbol by a size that is at least 0 and linear in it. The symbol may be inside a
/// quotient, or inside a quotient of a quotient.
void at_least_zero(Space& plain, PolyId size, std::map<std::string, SymbolRange>& symbols) {
  for (auto line = line_of(plain, size); line; line = line_of(plain, size)) {
    // The atom is at least `end` if it grows, else at most `end`.
    const bool grows = line->factor > 0;
    const std::int64_t end =
        grows ? -floor_quotient(line->number, line->factor) : floor_quotient(line->number, -line->factor);
    if (line->by == 0) {
      const auto at = symbols.find(line->atom.name);
      if (at == symbols.end() || line->atom.kind != Atom::Kind::symbol) return;
      if (grows) at->second.min = std::max(at->second.min, end);
      if (!grows) at->second.max = std::min(at->second.max.value_or(end), end);
      return;
    }
    size = grows ? plain.sub(line->atom.first, plain.constant(end * line->by))
                 : plain.sub(plain.constant(end * line->by + line->by - 1), line->atom.first);
  }
}

void is_zero(Space& plain, PolyId size, std::map<std::string, SymbolRange>& symbols) {
  at_least_zero(plain, size, symbols);
  at_least_zero(plain, plain.scale(size, -1), symbols);
}

/// True if the size is known to be at least `least`, by the range of the one symbol that it grows with.
bool is_at_least(Space& plain, const Linear& line, const std::map<std::string, SymbolRange>& symbols,
                 std::int64_t least) {
  if (line.factor <= 0) return false;
  const std::int64_t end = -floor_quotient(line.number - least, line.factor);
  if (!is_within(end, kMostPower)) return false;
  if (line.by == 0) {
    const auto at = symbols.find(line.atom.name);
    return line.atom.kind == Atom::Kind::symbol && at != symbols.end() && at->second.min >= end;
  }
  const auto inner = line_of(plain, line.atom.first);
  return inner && is_at_least(plain, *inner, symbols, end * line.by);
}

/// "n == atom**k" determines the atom, if it cannot be the negative root as well. `gap` is 0.
void narrow_power(Space& plain, PolyId gap, std::map<std::string, SymbolRange>& symbols) {
  const auto power = apart_from_number(plain, gap);
  if (!power || !is_within(power->first.factor, 1)) return;
  const Product factors = plain.atoms(power->first);
  const auto count = static_cast<std::size_t>(std::ranges::count(factors, factors[0]));
  const auto n = root_of(power->first.factor > 0 ? -power->second : power->second, factors.size());
  if (!n || count < 2 || count != factors.size()) return;
  const PolyId root = plain.of({plain.monomial({factors[0]}, 1)});
  const auto line = line_of(plain, root);
  if (count % 2 == 0 && !(line && is_at_least(plain, *line, symbols, 0))) return;
  is_zero(plain, plain.sub(root, plain.constant(*n)), symbols);
}

/// The lesser or greater of two sizes.
bool is_choice(const Atom& atom) {
  return atom.kind == Atom::Kind::opaque && (atom.name == "max" || atom.name == "min");
}

/// "s == n - Max(0, n - s)": an operand that equals the maximum is not the lesser one. "0 < Max(0, s - 5)":
/// if the maximum exceeds a number that one operand does not, the other one does. Likewise for Min. `gap`:
/// right - left.
void narrow_lesser(Space& plain, PolyId gap, SymRelation::Kind kind,
                   std::map<std::string, SymbolRange>& symbols) {
  for (const Monomial& m : Polynomial(plain.terms(gap))) {
    const Product own = plain.atoms(m);
    const Atom atom = own.size() == 1 ? plain.atom(own[0]) : Atom{};
    if (!is_choice(atom) || std::abs(m.factor) != 1) continue;
    const PolyId itself = plain.opaque(atom.name, atom.arguments);
    const PolyId other = plain.sub(itself, plain.scale(gap, m.factor));  // appears in gap, negated
    const int sign = atom.name == "max" ? 1 : -1;
    for (const std::size_t k : {0U, 1U}) {
      const PolyId one = atom.arguments[k], two = atom.arguments[1 - k];
      if (kind == SymRelation::Kind::eq && plain.same(other, one))
        at_least_zero(plain, plain.scale(plain.sub(one, two), sign), symbols);
      const auto least = plain.value(other), number = plain.value(two);
      if (kind == SymRelation::Kind::lt && m.factor == sign && least && number &&
          sign * *number <= sign * *least)
        at_least_zero(plain, plain.sub(plain.scale(plain.sub(one, other), sign), plain.constant(1)), symbols);
    }
  }
}

}  // namespace

void Sizes::narrow(const SymRelation& relation, std::map<std::string, SymbolRange>& symbols) {
  Space plain;
  Sizes sizes(plain);
  const PolyId gap = plain.sub(sizes.of(relation.right), sizes.of(relation.left));
  if (gap == Space::kBad) return;
  switch (relation.kind) {
    case SymRelation::Kind::eq:
      narrow_power(plain, gap, symbols);
      is_zero(plain, gap, symbols);
      break;
    case SymRelation::Kind::ne:
      break;
    case SymRelation::Kind::lt:
      at_least_zero(plain, plain.sub(gap, plain.constant(1)), symbols);
      break;
    case SymRelation::Kind::le:
      at_least_zero(plain, gap, symbols);
      break;
  }
  narrow_lesser(plain, gap, relation.kind, symbols);
}

}  // namespace noclobber
