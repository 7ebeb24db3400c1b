#include "checker/kernel/poly.h"

namespace noclobber {
namespace {

constexpr PolyId kBad = Space::kBad;
constexpr std::size_t kMaxTerms = 2048;       // a longer polynomial is bad: no real size needs it
constexpr std::uint32_t kMaxDepth = 64;       // atoms that are nested deeper are bad
constexpr std::size_t kMaxProduct = 1 << 16;  // a product of more pairs of terms is bad

bool contains(const auto& all, PolyId one) { return std::ranges::find(all, one) != all.end(); }
std::uint64_t pair_key(PolyId a, PolyId b) { return (static_cast<std::uint64_t>(a) << 32) | b; }

/// Collects the atoms of a polynomial other than symbols, also inside of other atoms. Among them are the
/// indices and quotients, which exist at some places only.
void existing(const Space& space, PolyId a, std::set<AtomId>& out) {
  for (std::vector<PolyId> open{a}; !open.empty();) {
    const Polynomial& all = space.terms(open.back());
    open.pop_back();
    space.work(1 + all.size());
    for (const Monomial& m : all)
      for (AtomId id : space.atoms(m)) {
        const Atom& atom = space.atom(id);
        if (atom.kind == Atom::Kind::symbol || !out.insert(id).second) continue;
        open.insert(open.end(), {atom.first, atom.second});
        open.insert(open.end(), atom.arguments.begin(), atom.arguments.end());
      }
  }
}

/// An index exists only where its extent is positive, a quotient only where its divisor is. A line about one
/// says nothing about other places, so each must occur in what is shown, a hypothesis or a fact that is used.
bool about_itself(const Space& space, const Derivation& d, PolyId shown) {
  std::set<AtomId> known, used;
  existing(space, shown, known);
  for (PolyId f : d.facts) existing(space, f, known);
  for (const Line& l : d.lines) existing(space, l.poly, l.rule == Line::Rule::fact ? known : used);
  return std::includes(known.begin(), known.end(), used.begin(), used.end());
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0);
}

/// The order of monomials in a sum.
bool earlier(const Space& space, const Monomial& a, const Monomial& b) {
  return a.first != b.first ? a.first < b.first : a.product != b.product && space.atoms(a) < space.atoms(b);
}

/// The depth of the deepest atom; 0 for a constant.
std::uint32_t depth(const Space& space, PolyId a) {
  std::uint32_t out = 0;
  for (const Monomial& m : space.terms(a))
    for (AtomId atom : space.atoms(m)) out = std::max(out, space.atom(atom).depth);
  return out;
}

/// `known` caches the values of quotients, so that each is computed once.
std::optional<std::int64_t> value_of(const Space& space, PolyId a, const SymbolValues& symbols,
                                     std::map<AtomId, std::optional<std::int64_t>>& known) {
  if (a == kBad) return std::nullopt;
  std::int64_t sum = 0;
  for (const Monomial& m : space.terms(a)) {
    std::int64_t product = m.factor;
    space.work(1 + space.atoms(m).size());
    for (AtomId id : space.atoms(m)) {
      const Atom& atom = space.atom(id);
      std::optional<std::int64_t> part;
      if (atom.kind == Atom::Kind::symbol && symbols.contains(atom.name)) part = symbols.at(atom.name);
      if (const auto at = known.find(id); at != known.end()) {
        part = at->second;
      } else if (atom.kind == Atom::Kind::quotient) {
        const auto value = [&](PolyId of) { return value_of(space, of, symbols, known); };
        const auto x = value(atom.first), y = value(atom.second);
        if (x && y && *y > 0) part = floor_div(*x, *y);
        known.emplace(id, part);
      }
      if (!part || __builtin_mul_overflow(product, *part, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

/// m / by. Empty if there is a remainder; if `by` is a constant the factor is rounded down, empty if 0.
std::optional<Monomial> ratio(Space& space, const Monomial& m, const Monomial& by) {
  const Product &whole = space.atoms(m), &part = space.atoms(by);
  space.work(1 + (whole.size() + part.size()) / 4);
  Product rest;
  std::ranges::set_difference(whole, part, std::back_inserter(rest));
  if (rest.size() + part.size() != whole.size()) return std::nullopt;
  if (!part.empty() && m.factor % by.factor != 0) return std::nullopt;
  const std::int64_t factor = floor_div(m.factor, by.factor);
  return factor == 0 ? std::nullopt : std::optional(space.monomial(std::move(rest), factor));
}

/// Polynomial division by one divisor: a = b * first + second. Terms that b's leading term does not divide
/// stay in second.
std::pair<PolyId, PolyId> divide(Space& space, PolyId a, PolyId b) {
  const auto rank = [&space](const Monomial& m) { return std::pair(space.atoms(m).size(), space.atoms(m)); };
  const auto leads = [&rank](const Monomial& x, const Monomial& y) { return rank(x) > rank(y); };
  const Monomial lead = *std::min_element(space.terms(b).begin(), space.terms(b).end(), leads);
  PolyId quotient = 0, rest = a;
  for (std::size_t round = 0; round < kMaxTerms && rest != kBad; ++round) {
    std::optional<Monomial> step;
    const Polynomial& left = space.terms(rest);
    for (auto m = left.begin(); !step && m != left.end(); ++m) step = ratio(space, *m, lead);
    if (!step) return {quotient, rest};
    const PolyId part = space.of({*step});
    quotient = space.add(quotient, part);
    rest = space.sub(rest, space.mul(part, b));
  }
  return {kBad, kBad};
}

PolyId of_quotient(Space& space, const Line& l, const Atom& q) {
  if (l.rule == Line::Rule::below && q.kind == Atom::Kind::index) return space.beyond(q.first, l.poly);
  if (q.kind != Atom::Kind::quotient) return kBad;
  if (l.rule == Line::Rule::divisor) return space.beyond(q.second, 0);
  const PolyId inside = space.sub(q.first, space.mul(q.second, l.poly));
  return l.rule == Line::Rule::below ? inside : space.beyond(q.second, inside);
}

}  // namespace

Monomial Space::monomial(Product atoms, std::int64_t factor) {
  const AtomId first = atoms.empty() ? 0 : atoms[0] + 1;
  std::size_t hash = 0;
  for (AtomId a : atoms) hash = mix(hash, a + 1);
  std::uint64_t done = 25 + atoms.size();
  const std::uint32_t product = products_.add(std::move(atoms), hash, &done);
  work(done);
  return {first, product, factor};
}

PolyId Space::of(Polynomial sum) {
  work(10 + 4 * sum.size());
  const auto sooner = [this](const Monomial& a, const Monomial& b) { return earlier(*this, a, b); };
  if (!std::is_sorted(sum.begin(), sum.end(), sooner)) std::stable_sort(sum.begin(), sum.end(), sooner);
  std::size_t size = 0, hash = 0;
  for (const Monomial& m : sum) {
    if (size == 0 || sum[size - 1].product != m.product) sum[size++] = m;
    else if (__builtin_add_overflow(sum[size - 1].factor, m.factor, &sum[size - 1].factor)) return kBad;
    if (sum[size - 1].factor == 0) --size;
  }
  sum.resize(size);
  for (const Monomial& m : sum) {
    if (m.factor == INT64_MIN) return kBad;  // so that every coefficient can be negated
    hash = mix(mix(hash, static_cast<std::uint64_t>(m.factor)), m.product);
  }
  std::uint64_t done = size;
  const PolyId out = size > kMaxTerms ? kBad : polys_.add(std::move(sum), hash, &done);
  work(done);
  return out;
}

PolyId Space::of_atom(Atom atom, const std::string& key) {
  const auto [at, is_new] = atom_ids_.emplace(key, static_cast<AtomId>(atoms_.size()));
  if (is_new) {
    std::vector<PolyId> inside = atom.arguments;
    inside.insert(inside.end(), {atom.first, atom.second});
    for (PolyId p : inside) atom.lanes |= lanes(p), atom.depth = std::max(atom.depth, depth(*this, p) + 1);
    atoms_.push_back(std::move(atom));
  }
  return atoms_[at->second].depth > kMaxDepth ? kBad : of({monomial({at->second}, 1)});
}

std::uint64_t Space::lanes(PolyId a) const {
  if (a == kBad) return ~std::uint64_t{0};
  std::uint64_t out = 0;
  work(polys_[a].size());
  for (const Monomial& m : polys_[a])
    for (AtomId atom : atoms(m)) out |= atoms_[atom].lanes;
  return out;
}

void Space::range(const std::string& name, std::optional<std::int64_t> least,
                  std::optional<std::int64_t> most) {
  Atom& atom = atoms_[atoms(polys_[symbol(name)][0])[0]];
  atom.bounded_below = least.has_value();
  atom.least = least.value_or(0);
  atom.most = most;
  not_found_.clear();
}

PolyId Space::index(std::uint32_t position, PolyId extent) {
  if (extent == kBad) return kBad;
  if (value(extent) == 1) return 0;
  if (const PolyId known = index_[pair_key(position, extent)]; known != kUnset) return known;
  Atom atom{Atom::Kind::index, "", position, extent, 0, {}, 0, bound(extent, true), true, 0};
  if (position == kLane)
    atom.lanes = std::uint64_t{1} << std::clamp<std::int64_t>(value(extent).value_or(0), 0, 63);
  if (atom.most && (*atom.most <= 0 || --*atom.most < 0)) atom.most = std::nullopt;  // no index exists
  return index_[pair_key(position, extent)] =
             of_atom(std::move(atom), "i" + std::to_string(position) + ":" + std::to_string(extent));
}

PolyId Space::opaque(const std::string& name, std::vector<PolyId> arguments) {
  if (contains(arguments, kBad)) return kBad;
  std::string key = "f" + std::to_string(name.size()) + ":" + name;
  for (PolyId a : arguments) key += ":" + std::to_string(a);
  return of_atom({Atom::Kind::opaque, name, 0, 0, 0, std::move(arguments), 0, std::nullopt, false}, key);
}

void Space::assume_nonnegative(PolyId fact) {
  if (fact != kBad) facts_.push_back(fact);
  not_found_.clear();
}

PolyId Space::add(PolyId a, PolyId b) {
  if (a == kBad || b == kBad) return kBad;
  if (a == 0 || b == 0) return a + b;
  work(1);
  PolyId& known = sum_[pair_key(std::min(a, b), std::max(a, b))];
  if (known != kUnset) return known;
  Polynomial sum(polys_[a].size() + polys_[b].size());
  std::ranges::merge(polys_[a], polys_[b], sum.begin(),
                     [this](const Monomial& x, const Monomial& y) { return earlier(*this, x, y); });
  return known = of(std::move(sum));
}

PolyId Space::mul(PolyId a, PolyId b) {
  if (a == kBad || b == kBad) return kBad;
  if (a == 0 || b == 0) return 0;
  if (a == 1 || b == 1) return a == 1 ? b : a;
  PolyId& known = product_[pair_key(std::min(a, b), std::max(a, b))];
  if (known != kUnset || polys_[a].size() * polys_[b].size() > kMaxProduct) return known;
  Polynomial sum;
  for (const Monomial& x : polys_[a])
    for (const Monomial& y : polys_[b]) {
      std::int64_t factor = 0;
      if (atoms(x).size() + atoms(y).size() > kMaxTerms) return kBad;
      if (__builtin_mul_overflow(x.factor, y.factor, &factor)) return kBad;
      Product both;
      std::ranges::merge(atoms(x), atoms(y), std::back_inserter(both));
      sum.push_back(monomial(std::move(both), factor));
    }
  return known = of(std::move(sum));
}

PolyId Space::quotient_in(PolyId a, PolyId b) {
  if (a == kBad || b == kBad || value(b).value_or(1) <= 0) return kBad;
  if (value(b) == 1 || a == 0) return a;
  if (const PolyId known = quotient_[pair_key(a, b)]; known != kUnset) return known;
  const auto [whole, rest] = divide(*this, a, b);
  if (rest == kBad || whole == kBad) return kBad;
  PolyId out = whole;
  if (!nonnegative(rest) || !nonnegative(beyond(b, rest))) {
    Atom atom{Atom::Kind::quotient, "", 0, rest, b, {}, 0, std::nullopt};
    const auto least = bound(rest, false), most = bound(rest, true), by = value(b);
    atom.bounded_below = least && (by || *least >= 0);
    if (atom.bounded_below) atom.least = by ? floor_div(*least, *by) : 0;
    if (most && (by || *most >= 0)) atom.most = by ? floor_div(*most, *by) : *most;
    out = add(whole, of_atom(std::move(atom), "q" + std::to_string(rest) + ":" + std::to_string(b)));
  }
  return quotient_[pair_key(a, b)] = out;
}

/// A lower or upper bound by the constant bounds of the atoms. Empty if they give none. Lemma 1.
std::optional<std::int64_t> Space::bound(PolyId a, bool upper) const {
  std::int64_t sum = 0;
  for (const Monomial& m : polys_[a]) {
    std::int64_t low = 1, high = 1;
    work(1 + atoms(m).size() / 4);
    bool open = false;  // `high` is unknown
    const Product& product = atoms(m);
    for (AtomId id : product) {
      const Atom& atom = atoms_[id];
      if (!atom.bounded_below || (atom.least < 0 && product.size() > 1)) return std::nullopt;
      if (__builtin_mul_overflow(low, atom.least, &low)) return std::nullopt;
      open = open || !atom.most || __builtin_mul_overflow(high, *atom.most, &high);
    }
    const bool at_most = upper == (m.factor > 0);
    std::int64_t part = at_most ? high : low;
    if ((open && at_most) || __builtin_mul_overflow(part, m.factor, &part)) return std::nullopt;
    if (__builtin_add_overflow(sum, part, &sum)) return std::nullopt;
  }
  return sum;
}

std::optional<std::int64_t> Space::value(PolyId a, const SymbolValues& symbols) const {
  std::map<AtomId, std::optional<std::int64_t>> known;
  return value_of(*this, a, symbols, known);
}

bool Space::known(PolyId a, const std::vector<PolyId>& facts) {
  const auto at = known_.find(a);
  for (std::size_t n = 0; at != known_.end() && n < at->second.size(); ++n) {
    const Known& k = at->second[n];
    work(1 + k.facts.size() * (1 + facts.size() / 4));
    if (!std::ranges::all_of(k.facts, [&](PolyId f) { return contains(facts, f); })) continue;
    used_.insert(k.derivation);
    return true;
  }
  return false;
}

bool Space::nonnegative(PolyId a, const std::vector<PolyId>& facts) {
  if (a == kBad) return false;
  work(1 + facts.size() / 4);
  if (plain(a) || contains(facts, a) || known(a, facts)) return true;
  if (!finder_ || (facts.empty() && not_found_.contains(a))) return false;
  const auto found = finder_(*this, a, facts);
  if (found && derive(*found)) return known(a, facts);
  if (facts.empty()) not_found_.insert(a);
  return false;
}

/// Lemma 2.
bool Space::derive(const Derivation& derivation) {
  std::vector<PolyId> shown;
  for (const Line& next : derivation.lines) {
    shown.push_back(line_shows(*this, next, derivation.facts, shown));
    if (shown.back() == kBad) return false;
  }
  if (shown.empty() || !about_itself(*this, derivation, shown.back())) return false;
  work(derivation.facts.size());
  Known entry{derivation.facts, derivations_.size()};
  std::sort(entry.facts.begin(), entry.facts.end());
  for (const Known& k : known_[shown.back()]) {
    work(1);
    if (k.facts == entry.facts) return false;
  }
  known_[shown.back()].push_back(std::move(entry));
  derivations_.push_back(derivation);
  return true;
}

PolyId line_shows(Space& space, const Line& l, const std::vector<PolyId>& facts,
                  const std::vector<PolyId>& shown) {
  const auto at = [&](std::uint32_t k) { return k < shown.size() ? shown[k] : kBad; };
  switch (l.rule) {
    case Line::Rule::plain: return space.plain(l.poly) ? l.poly : kBad;
    case Line::Rule::fact:
      space.work(1 + (facts.size() + space.facts().size()) / 4);
      return contains(facts, l.poly) || contains(space.facts(), l.poly) ? l.poly : kBad;
    case Line::Rule::below:
    case Line::Rule::above:
    case Line::Rule::divisor: {
      const Polynomial& p = space.terms(l.poly);
      const bool atom = p.size() == 1 && p[0].factor == 1 && space.atoms(p[0]).size() == 1;
      return atom ? of_quotient(space, l, Atom(space.atom(space.atoms(p[0])[0]))) : kBad;
    }
    case Line::Rule::add: return space.add(at(l.a), at(l.b));
    case Line::Rule::multiply: return space.mul(at(l.a), at(l.b));
    case Line::Rule::divide: {
      const PolyId rest = space.sub(at(l.a), space.mul(l.by, l.poly));
      const bool good = space.same(at(l.b), space.beyond(l.by, rest));
      return good && space.same(at(l.c), space.beyond(l.by, 0)) ? l.poly : kBad;
    }
  }
  return kBad;
}

}  // namespace noclobber
