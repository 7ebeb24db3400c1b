#include "src/certify/nonnegative.h"

#include <algorithm>
#include <map>

#include "src/certify/corner.h"
#include "src/certify/farkas.h"

namespace noclobber {
namespace {

constexpr int kReplacedInARow = 24;                   // replacements in a row
constexpr std::uint64_t kReplacements = 400;          // replacements in all, for one question
constexpr std::size_t kFactsTried = 64;               // facts tried
constexpr std::int64_t kFar = std::int64_t{1} << 40;  // at_least() gives up on bounds below -kFar

constexpr std::size_t kUnknowns = 24, kRows = 24;  // of one combination by Farkas multipliers

using Found = std::optional<std::uint32_t>;  // the line that shows the question
using LineRule = Line::Rule;

/// Which facts are combined with a question: those with one of its atoms, or also those with a quotient of
/// one (i / 2 <= 1 and i / 4 >= 1 exclude each other).
enum class Kin { atoms, quotients };

class Search {
 public:
  Search(Space& space, std::vector<PolyId> facts) : space_(space), facts_(std::move(facts)) {}

  Found shown(PolyId a, int depth);
  Found combined(PolyId a, const std::vector<Line>& candidates);
  std::vector<Line> rows(PolyId a, Kin kin) const;
  std::vector<Line> lines;

 private:
  Found bound_away(PolyId a, AtomId which, int depth);
  Found through_quotient(PolyId a, PolyId slope, PolyId rest, AtomId which, std::uint32_t sign, bool up,
                         int depth);
  Found at_least(PolyId slope, PolyId rest, AtomId which, std::uint32_t sign, int depth);
  Found by_fact(PolyId a, int depth);
  std::uint32_t put(Line line) {
    lines.push_back(line);
    return static_cast<std::uint32_t>(lines.size() - 1);
  }
  std::uint32_t put(LineRule rule, std::uint32_t a, std::uint32_t b) { return put({rule, a, b, 0, 0, 0}); }
  std::uint32_t put(LineRule rule, PolyId poly) { return put({rule, 0, 0, 0, poly, 0}); }
  std::uint32_t divided(std::uint32_t whole, std::uint32_t room, std::uint32_t positive, PolyId poly,
                        PolyId by) {
    return put({LineRule::divide, whole, room, positive, poly, by});
  }
  PolyId of(AtomId atom) { return space_.of({space_.monomial({atom}, 1)}); }

  Space& space_;
  std::vector<PolyId> facts_;
  std::uint64_t budget_ = kReplacements;
};

/// a = first * atom + second, where `second` does not have the atom. Higher powers stay in `first`.
std::pair<Polynomial, Polynomial> split(Space& space, const Polynomial& all, AtomId atom) {
  Polynomial with, without;
  for (const Monomial& m : all) {
    Product atoms = space.atoms(m);
    const auto at = std::find(atoms.begin(), atoms.end(), atom);
    if (at == atoms.end()) {
      without.push_back(m);
    } else {
      atoms.erase(at);
      with.push_back(space.monomial(std::move(atoms), m.factor));
    }
  }
  return {with, without};
}

Found Search::shown(PolyId a, int depth) {
  if (a == Space::kBad || depth == 0 || budget_ == 0) return std::nullopt;
  --budget_;
  if (space_.plain(a)) return put(LineRule::plain, a);
  if (space_.value(a)) return std::nullopt;
  const auto& global = space_.facts();
  if (std::find(facts_.begin(), facts_.end(), a) != facts_.end() ||
      std::find(global.begin(), global.end(), a) != global.end())
    return put(LineRule::fact, a);
  std::set<AtomId, std::greater<>> atoms;
  bool products = false;
  for (const Monomial& m : space_.terms(a)) {
    const Product& product = space_.atoms(m);
    atoms.insert(product.begin(), product.end());
    products = products || product.size() > 1;
  }
  // Relations between symbols appear in the factor of another symbol: s * (t - u) with t >= u.
  for (AtomId which : atoms) {
    if (which != *atoms.begin() && (!products || space_.atom(which).kind != Atom::Kind::symbol)) continue;
    if (const Found out = bound_away(a, which, depth)) return out;
  }
  return by_fact(a, depth);
}

/// a = slope * atom + rest: with slope >= 0 the atom's lower bound is the worst case, with slope <= 0 the
/// upper one.
Found Search::bound_away(PolyId a, AtomId which, int depth) {
  auto [with, without] = split(space_, space_.terms(a), which);
  const PolyId slope = space_.of(std::move(with));
  const PolyId rest = space_.of(std::move(without));
  const Atom atom = space_.atom(which);
  const std::size_t mark = lines.size();
  Found sign = shown(slope, depth - 1);
  const bool up = sign.has_value();
  if (!sign) sign = shown(space_.scale(slope, -1), depth - 1);
  if (!sign) return std::nullopt;
  const auto at = [&](PolyId bound, Line line) -> Found {
    const Found worst = shown(space_.add(space_.mul(slope, bound), rest), depth - 1);
    if (!worst) return std::nullopt;
    return put(LineRule::add, put(LineRule::multiply, *sign, put(line)), *worst);
  };
  const auto plain = [&](PolyId bound, PolyId poly) {
    return at(bound, {LineRule::plain, 0, 0, 0, poly, 0});
  };
  Found out;
  const PolyId self = of(which);
  const bool index = atom.kind == Atom::Kind::index;
  if (up && atom.bounded_below) {
    out = plain(space_.constant(atom.least), space_.sub(self, space_.constant(atom.least)));
  } else if (!up && index) {
    out = at(space_.sub(atom.first, space_.constant(1)), {LineRule::below, 0, 0, 0, self, 0});
  } else if (!up && atom.most) {
    out = plain(space_.constant(*atom.most), space_.sub(space_.constant(*atom.most), self));
  }
  if (!out && atom.kind == Atom::Kind::quotient)
    out = through_quotient(a, slope, rest, which, *sign, up, depth);
  if (!out) lines.resize(mark);
  return out;
}

/// For q = floor(p / d), d > 0: p - d + 1 <= d * q <= p, and q >= 0 if p >= 0.
Found Search::through_quotient(PolyId a, PolyId slope, PolyId rest, AtomId which, std::uint32_t sign, bool up,
                               int depth) {
  const Atom q = space_.atom(which);
  const PolyId self = of(which);
  const std::size_t mark = lines.size();
  if (up) {
    const Found dividend = shown(q.first, depth - 1);
    const Found other = dividend ? shown(rest, depth - 1) : std::nullopt;
    if (other) {
      const std::uint32_t sum = put(LineRule::add, put(LineRule::above, self), *dividend);
      const std::uint32_t positive =
          divided(sum, put(LineRule::plain, 0), put(LineRule::divisor, self), self, q.second);
      return put(LineRule::add, put(LineRule::multiply, sign, positive), *other);
    }
    lines.resize(mark);
  }
  const PolyId bound = up ? space_.add(space_.sub(q.first, q.second), space_.constant(1)) : q.first;
  const PolyId multiple = space_.add(space_.mul(slope, bound), space_.mul(q.second, rest));
  Found worst = shown(multiple, depth - 1);
  const bool exact = worst.has_value();
  if (!exact && space_.value(q.second)) {  // d * a > -d is enough
    lines.resize(mark);
    worst = shown(space_.add(multiple, space_.sub(q.second, space_.constant(1))), depth - 1);
  }
  if (!worst && up) lines.resize(mark);
  if (!worst) return up ? at_least(slope, rest, which, sign, depth) : std::nullopt;
  const std::uint32_t gap = put(up ? LineRule::above : LineRule::below, self);
  const std::uint32_t whole = put(LineRule::add, put(LineRule::multiply, sign, gap), *worst);
  const std::uint32_t positive = put(LineRule::divisor, self);
  return divided(whole, exact ? positive : put(LineRule::plain, 0), positive, a, q.second);
}

/// q >= n > 0 if p >= d * n, for the least n that makes up for the constant lower bound of the rest.
Found Search::at_least(PolyId slope, PolyId rest, AtomId which, std::uint32_t sign, int depth) {
  const Atom q = space_.atom(which);
  const auto factor = space_.value(slope), least = space_.bound(rest, false);
  if (!factor || !least || *factor <= 0 || *least >= 0 || *least < -kFar) return std::nullopt;
  const PolyId number = space_.constant((-*least + *factor - 1) / *factor), self = of(which);
  const std::size_t mark = lines.size();
  const Found dividend = shown(space_.sub(q.first, space_.mul(q.second, number)), depth - 1);
  const Found other = dividend ? shown(space_.add(rest, space_.mul(slope, number)), depth - 1) : std::nullopt;
  if (!other) {
    lines.resize(mark);
    return std::nullopt;
  }
  const std::uint32_t sum = put(LineRule::add, put(LineRule::above, self), *dividend);
  const std::uint32_t positive =
      divided(sum, put(LineRule::plain, 0), put(LineRule::divisor, self), space_.sub(self, number), q.second);
  return put(LineRule::add, put(LineRule::multiply, sign, positive), *other);
}

/// a >= 0 follows from fact >= 0 and a - fact >= 0.
Found Search::by_fact(PolyId a, int depth) {
  std::vector<PolyId> all = facts_;
  all.insert(all.end(), space_.facts().begin(), space_.facts().end());
  for (std::size_t k = 0; k < std::min(all.size(), kFactsTried) && budget_ > 0; ++k) {
    const PolyId rest = space_.sub(a, all[k]);
    if (rest == Space::kBad || rest == a || space_.terms(rest).size() > space_.terms(a).size()) continue;
    const std::size_t mark = lines.size();
    if (const Found out = shown(rest, std::min(depth - 1, 8)))
      return put(LineRule::add, put(LineRule::fact, all[k]), *out);
    lines.resize(mark);
  }
  return std::nullopt;
}

/// The lines that may be combined: bounds of the atoms that occur, and facts that share an atom with them.
class Rows {
 public:
  Rows(Space& space, PolyId a, std::vector<PolyId> facts, Kin kin)
      : space_(space), facts_(std::move(facts)), kin_(kin) {
    note(a);
    for (std::size_t size = 0; size != atoms_.size() && out.size() < kRows;) {
      size = atoms_.size();
      for (AtomId id : std::set<AtomId>(atoms_))
        if (done_.insert(id).second) bounds(id);
      std::erase_if(facts_,
                    [&](PolyId f) { return f == Space::kBad || (touches(f) && row(LineRule::fact, f)); });
    }
  }
  std::vector<Line> out;

 private:
  void note(PolyId p) {
    for (const Monomial& m : space_.terms(p))
      for (AtomId a : space_.atoms(m)) atoms_.insert(a);
  }
  bool touches(PolyId p) const {
    for (const Monomial& m : space_.terms(p))
      for (AtomId a : space_.atoms(m))
        if (atoms_.contains(a) || (kin_ == Kin::quotients && divides_known(space_.atom(a)))) return true;
    return false;
  }
  bool divides_known(const Atom& atom) const {
    return atom.kind == Atom::Kind::quotient && touches(atom.first);
  }
  bool row(LineRule rule, PolyId p) {
    out.push_back({rule, 0, 0, 0, p, 0});
    note(p);
    return true;
  }
  void bounds(AtomId id) {
    const Atom atom = space_.atom(id);
    const PolyId self = space_.of({space_.monomial({id}, 1)});
    if (atom.kind == Atom::Kind::quotient) row(LineRule::above, self), row(LineRule::below, self);
    if (atom.kind == Atom::Kind::index) row(LineRule::below, self);
    for (PolyId p : {atom.first, atom.second})
      if (p != Space::kBad) note(p);
    if (atom.bounded_below) row(LineRule::plain, space_.sub(self, space_.constant(atom.least)));
    if (atom.most) row(LineRule::plain, space_.sub(space_.constant(*atom.most), self));
  }

  Space& space_;
  std::vector<PolyId> facts_;
  Kin kin_;
  std::set<AtomId> atoms_, done_;
};

std::vector<Line> Search::rows(PolyId a, Kin kin) const {
  std::vector<PolyId> facts = facts_;
  facts.insert(facts.end(), space_.facts().begin(), space_.facts().end());
  return Rows(space_, a, std::move(facts), kin).out;
}

/// Shows a >= 0 by Farkas multipliers, with every product of atoms as an unknown.
Found Search::combined(PolyId a, const std::vector<Line>& candidates) {
  std::map<std::uint32_t, std::size_t> unknowns;  // by product
  std::vector<PolyId> shown_by;
  const auto column = [&](PolyId p) {
    for (const Monomial& m : space_.terms(p))
      if (m.first != 0) unknowns.emplace(m.product, unknowns.size());
  };
  column(a);
  for (const Line& l : candidates) {
    shown_by.push_back(line_shows(space_, l, facts_, {}));
    if (shown_by.back() == Space::kBad) return std::nullopt;
    column(shown_by.back());
  }
  if (unknowns.size() > kUnknowns || candidates.size() > 2 * kRows) return std::nullopt;
  const auto coefficients = [&](PolyId p) {
    std::vector<std::int64_t> out(unknowns.size() + 1);
    for (const Monomial& m : space_.terms(p))
      out[m.first == 0 ? unknowns.size() : unknowns[m.product]] = m.factor;
    return out;
  };
  std::vector<std::vector<std::int64_t>> rows;
  for (PolyId p : shown_by) rows.push_back(coefficients(p));
  const auto found = combine(rows, coefficients(a));
  if (!found) return std::nullopt;
  std::uint32_t sum = put(LineRule::plain, space_.constant(std::max<std::int64_t>(found->rest, 0)));
  for (const auto& [k, times] : found->multipliers) {
    const Line& line = candidates[k];
    const std::uint32_t factor = put(LineRule::plain, space_.constant(times));
    sum = put(LineRule::add, sum, put(LineRule::multiply, factor, put(line)));
  }
  if (found->by == 1 && found->rest >= 0) return sum;
  const std::int64_t rest = std::max<std::int64_t>(-found->rest, 0);
  const std::uint32_t room = put(LineRule::plain, space_.constant(found->by - 1 - rest));
  const std::uint32_t positive = put(LineRule::plain, space_.constant(found->by - 1));
  return divided(sum, room, positive, a, space_.constant(found->by));
}

/// The lines that the last one rests on.
std::vector<Line> needed(const std::vector<Line>& lines, std::uint32_t last) {
  std::vector<bool> keep(lines.size());
  keep[last] = true;
  for (std::size_t k = last + 1; k-- > 0;) {
    const LineRule rule = lines[k].rule;
    if (!keep[k] || rule < LineRule::add) continue;
    keep[lines[k].a] = keep[lines[k].b] = true;
    if (rule == LineRule::divide) keep[lines[k].c] = true;
  }
  std::vector<Line> out;
  std::vector<std::uint32_t> place(lines.size());
  for (std::size_t k = 0; k <= last; ++k) {
    if (!keep[k]) continue;
    Line line = lines[k];
    if (line.rule >= LineRule::add) line.a = place[line.a], line.b = place[line.b], line.c = place[line.c];
    place[k] = static_cast<std::uint32_t>(out.size());
    out.push_back(line);
  }
  return out;
}

}  // namespace

namespace {

/// The line if the polynomial is the remainder of a quotient among its atoms, or the divisor - 1 - remainder.
std::optional<Line> remainder(Space& space, PolyId poly) {
  for (const Monomial& m : Polynomial(space.terms(poly))) {
    if (m.first == 0 || space.atom(m.first - 1).kind != Atom::Kind::quotient) continue;
    const PolyId self = space.of({space.monomial({m.first - 1}, 1)});
    for (const LineRule rule : {LineRule::below, LineRule::above}) {
      const Line line{rule, 0, 0, 0, self, 0};
      if (space.same(line_shows(space, line, {}, {}), poly)) return line;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Derivation> find_derivation(Space& space, PolyId poly, const std::vector<PolyId>& facts) {
  if (is_refuted(space, poly, facts)) return std::nullopt;
  if (const auto rest = remainder(space, poly)) return Derivation{{}, {*rest}};
  Search search(space, facts);
  Found last = search.shown(poly, kReplacedInARow);
  if (!last && (!facts.empty() || !space.facts().empty())) {
    const std::vector<Line> near = search.rows(poly, Kin::atoms), all = search.rows(poly, Kin::quotients);
    const auto same = [](const Line& a, const Line& b) { return a.rule == b.rule && a.poly == b.poly; };
    last = search.combined(poly, near);
    if (!last && !std::ranges::equal(near, all, same)) last = search.combined(poly, all);
  }
  if (!last) return std::nullopt;
  Derivation out{{}, needed(search.lines, *last)};
  for (PolyId f : facts)  // only hypotheses that a line uses
    for (const Line& line : out.lines)
      if (line.rule == LineRule::fact && line.poly == f &&
          std::find(out.facts.begin(), out.facts.end(), f) == out.facts.end())
        out.facts.push_back(f);
  return out;
}

}  // namespace noclobber
