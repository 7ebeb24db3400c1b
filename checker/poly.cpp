#include "checker/poly.h"

#include <algorithm>
#include <limits>

namespace noclobber {
namespace {

constexpr std::size_t kMaxTerms = 2048;  // a longer polynomial is bad: the sum of so many sizes is none

std::size_t hash_of(const Polynomial& poly) {
  std::size_t h = poly.size();
  for (const Monomial& m : poly) {
    h = mix(h, static_cast<std::uint64_t>(m.factor));
    for (AtomId a : m.atoms) h = mix(h, a + 1);
  }
  return h;
}

std::uint64_t pair_key(PolyId a, PolyId b) { return (static_cast<std::uint64_t>(a) << 32) | b; }

bool earlier(const Monomial& a, const Monomial& b) { return a.atoms < b.atoms; }

/// Sum of two sorted polynomials; nothing on overflow.
std::optional<Polynomial> sum(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && earlier(*i, *j))) {
      out.push_back(*i++);
    } else if (i == a.end() || earlier(*j, *i)) {
      out.push_back(*j++);
    } else {
      std::int64_t factor = 0;
      if (__builtin_add_overflow(i->factor, j->factor, &factor)) return std::nullopt;
      if (factor != 0) out.push_back({i->atoms, factor});
      ++i, ++j;
    }
  }
  return out;
}

/// a times one monomial; nothing on overflow.
std::optional<Polynomial> times(const Polynomial& a, const Monomial& by) {
  Polynomial out;
  for (const Monomial& m : a) {
    Monomial product;
    if (__builtin_mul_overflow(m.factor, by.factor, &product.factor)) return std::nullopt;
    std::merge(m.atoms.begin(), m.atoms.end(), by.atoms.begin(), by.atoms.end(),
               std::back_inserter(product.atoms));
    out.push_back(std::move(product));
  }
  std::sort(out.begin(), out.end(), earlier);
  return out;
}

/// Of higher degree, or of equal degree and later: the term that division works on.
bool leads(const Monomial& a, const Monomial& b) {
  return a.atoms.size() != b.atoms.size() ? a.atoms.size() > b.atoms.size() : a.atoms > b.atoms;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0);
}

/// m / by, if it has no remainder (or `by` is a constant: rounded down, 0 counts as none).
std::optional<Monomial> ratio(const Monomial& m, const Monomial& by) {
  Monomial out;
  if (!std::includes(m.atoms.begin(), m.atoms.end(), by.atoms.begin(), by.atoms.end())) return std::nullopt;
  std::set_difference(m.atoms.begin(), m.atoms.end(), by.atoms.begin(), by.atoms.end(),
                      std::back_inserter(out.atoms));
  if (m.factor == std::numeric_limits<std::int64_t>::min()) return std::nullopt;  // / -1 has no value
  if (!by.atoms.empty() && m.factor % by.factor != 0) return std::nullopt;
  out.factor = floor_div(m.factor, by.factor);
  if (out.factor == 0) return std::nullopt;
  return out;
}

}  // namespace

Space::Space(Finder finder) : finder_(std::move(finder)) { of({}); }

PolyId Space::of(Polynomial poly) {
  if (poly.size() > kMaxTerms) return kBad;
  const std::size_t h = hash_of(poly);
  return polys_.add(std::move(poly), h);
}

PolyId Space::of_atom(Atom atom, const std::string& key) {
  const auto [at, is_new] = atom_ids_.emplace(key, static_cast<AtomId>(atoms_.size()));
  if (is_new) {
    atom.lane =
        atom.lane || has_lane(atom.first) || has_lane(atom.second) ||
        std::any_of(atom.arguments.begin(), atom.arguments.end(), [&](PolyId p) { return has_lane(p); });
    atoms_.push_back(std::move(atom));
  }
  return of({{{at->second}, 1}});
}

bool Space::has_lane(PolyId a) const {
  for (const Monomial& m : polys_[a])
    for (AtomId atom : m.atoms)
      if (atoms_[atom].lane) return true;
  return false;
}

PolyId Space::constant(std::int64_t value) { return value == 0 ? 0 : of({{{}, value}}); }

PolyId Space::symbol(const std::string& name) {
  Atom atom;
  atom.name = name;
  return of_atom(std::move(atom), "s" + name);
}

void Space::range(const std::string& name, std::optional<std::int64_t> least,
                  std::optional<std::int64_t> most) {
  Atom& atom = atoms_[polys_[symbol(name)][0].atoms[0]];
  atom.bounded_below = least.has_value();
  atom.least = least.value_or(0);
  atom.most = most;
  not_found_.clear();
}

PolyId Space::index(std::uint32_t position, PolyId extent) {
  if (extent == kBad) return kBad;
  if (value(extent) == 1) return 0;
  Atom atom;
  atom.kind = Atom::Kind::index;
  atom.position = position;
  atom.first = extent;
  atom.lane = position == kLane;
  if (const auto most = bound(extent, true); most && *most > 0) atom.most = *most - 1;
  return of_atom(std::move(atom), "i" + std::to_string(position) + ":" + std::to_string(extent));
}

PolyId Space::opaque(const std::string& name, std::vector<PolyId> arguments) {
  std::string key = "f" + name;
  for (PolyId a : arguments) {
    if (a == kBad) return kBad;
    key += ":" + std::to_string(a);
  }
  Atom atom;
  atom.kind = Atom::Kind::opaque;
  atom.name = name;
  atom.arguments = std::move(arguments);
  atom.bounded_below = false;
  return of_atom(std::move(atom), key);
}

void Space::assume_nonnegative(PolyId fact) {
  if (fact == kBad) return;
  facts_.push_back(fact);
  not_found_.clear();
}

PolyId Space::add(PolyId a, PolyId b) {
  if (a == kBad || b == kBad) return kBad;
  if (a == 0 || b == 0) return a + b;
  const auto [at, is_new] = sums_.emplace(pair_key(std::min(a, b), std::max(a, b)), kBad);
  if (!is_new) return at->second;
  std::optional<Polynomial> out = sum(polys_[a], polys_[b]);
  return at->second = out ? of(std::move(*out)) : kBad;
}

PolyId Space::mul(PolyId a, PolyId b) {
  if (a == kBad || b == kBad) return kBad;
  if (a == 0 || b == 0) return 0;
  const auto [at, is_new] = products_.emplace(pair_key(std::min(a, b), std::max(a, b)), kBad);
  if (!is_new) return at->second;
  std::optional<Polynomial> out = Polynomial{};
  for (const Monomial& m : polys_[b]) {
    std::optional<Polynomial> part = times(polys_[a], m);
    if (part) out = sum(*out, *part);
    if (!part || !out || out->size() > kMaxTerms) return kBad;
  }
  return products_[pair_key(std::min(a, b), std::max(a, b))] = of(std::move(*out));
}

std::optional<std::int64_t> Space::value(PolyId a) const {
  if (a == 0) return 0;
  if (a == kBad || polys_[a].size() != 1 || !polys_[a][0].atoms.empty()) return std::nullopt;
  return polys_[a][0].factor;
}

std::optional<std::int64_t> Space::value(PolyId a, const std::map<std::string, std::int64_t>& symbols) const {
  std::int64_t sum = 0;
  for (const Monomial& m : polys_[a]) {
    std::int64_t product = m.factor;
    for (AtomId id : m.atoms) {
      const Atom& atom = atoms_[id];
      const auto at = symbols.find(atom.name);
      std::optional<std::int64_t> part;
      if (atom.kind == Atom::Kind::symbol && at != symbols.end()) part = at->second;
      if (atom.kind == Atom::Kind::quotient) {
        const auto x = value(atom.first, symbols), y = value(atom.second, symbols);
        if (x && y && *y > 0) part = floor_div(*x, *y);
      }
      if (!part || __builtin_mul_overflow(product, *part, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

/// Polynomial division by one divisor: a = b * first + second; terms that b's leading term does not
/// divide stay in second.
std::pair<PolyId, PolyId> Space::divide(PolyId a, PolyId b) {
  const Polynomial divisor = polys_[b];
  const Monomial lead = *std::min_element(divisor.begin(), divisor.end(), leads);
  PolyId quotient = 0;
  PolyId rest = a;
  for (std::size_t round = 0; round < kMaxTerms && rest != kBad; ++round) {
    std::optional<Monomial> step;
    for (const Monomial& m : polys_[rest])
      if (!step) step = ratio(m, lead);
    if (!step) return {quotient, rest};
    const PolyId part = of({*step});
    quotient = add(quotient, part);
    rest = sub(rest, mul(part, b));
  }
  return {kBad, kBad};
}

PolyId Space::quotient(PolyId a, PolyId b) {
  if (a == kBad || b == kBad || !nonnegative(sub(b, constant(1)))) return kBad;
  return quotient_in(a, b);
}

PolyId Space::quotient_in(PolyId a, PolyId b) {
  if (a == kBad || b == kBad || value(b).value_or(1) <= 0) return kBad;
  if (value(b) == 1 || a == 0) return a;
  if (const auto at = quotients_.find(pair_key(a, b)); at != quotients_.end()) return at->second;
  const auto [whole, rest] = divide(a, b);
  if (rest == kBad || whole == kBad) return kBad;
  PolyId out = whole;
  if (!(nonnegative(rest) && nonnegative(sub(sub(b, rest), constant(1))))) {
    Atom atom;
    atom.kind = Atom::Kind::quotient;
    atom.first = rest;
    atom.second = b;
    const auto least = bound(rest, false), most = bound(rest, true), by = value(b);
    atom.bounded_below = least && (by || *least >= 0);
    if (atom.bounded_below) atom.least = by ? floor_div(*least, *by) : 0;
    if (most && (by || *most >= 0)) atom.most = by ? floor_div(*most, *by) : *most;
    out = add(whole, of_atom(std::move(atom), "q" + std::to_string(rest) + ":" + std::to_string(b)));
  }
  return quotients_[pair_key(a, b)] = out;
}

}  // namespace noclobber
