// Exact integer arithmetic over sizes and indices: polynomials with integer coefficients over atoms.
//
//   atom   symbol s0 (range from the case), index i<k> of extent E (0 <= i < E), or floor(p / q), q > 0
//   poly   sum of coefficient * product of atoms, interned: equal ids mean equal polynomials
//
// mod(p, q) is p - q * floor(p / q), so quotient and remainder put together cancel by themselves.
// Every coefficient is a checked int64; what overflows is kBad, which equals nothing, is never shown to
// be nonnegative, and makes everything computed from it bad.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace noclobber {

using PolyId = std::uint32_t;
using AtomId = std::uint32_t;

/// One product of atoms (sorted, with repetition) and its coefficient (never 0).
struct Monomial {
  std::vector<AtomId> atoms;
  std::int64_t factor = 0;
  friend bool operator==(const Monomial&, const Monomial&) = default;
};

/// Sorted by `atoms`, each product once.
using Polynomial = std::vector<Monomial>;

struct Atom {
  enum class Kind : std::uint8_t { symbol, index, quotient, opaque };
  Kind kind = Kind::symbol;
  std::string name;               // symbol, opaque
  std::uint32_t position = 0;     // index: which dimension
  PolyId first = 0, second = 0;   // index: extent; quotient: dividend, divisor
  std::vector<PolyId> arguments;  // opaque: an uninterpreted function of these
  std::int64_t least = 0;         // symbol, opaque: range; no most = unbounded
  std::optional<std::int64_t> most;
  bool bounded_below = true;
};

/// Owns all atoms and polynomials of one check (both graphs), so that ids are comparable.
class Space {
 public:
  static constexpr PolyId kBad = 0xffffffffU;

  Space();
  PolyId constant(std::int64_t value);
  /// A symbol, made on first use; range() may narrow it before anything is proved.
  PolyId symbol(const std::string& name);
  void range(const std::string& name, std::optional<std::int64_t> least, std::optional<std::int64_t> most);
  /// The index of dimension `position` with extent `extent`; 0 where the extent is 1.
  PolyId index(std::uint32_t position, PolyId extent);
  /// An integer function that nothing is known about.
  PolyId opaque(const std::string& name, std::vector<PolyId> arguments);
  /// `fact` >= 0 holds in every run.
  void assume_nonnegative(PolyId fact);

  PolyId add(PolyId a, PolyId b);
  PolyId scale(PolyId a, std::int64_t factor);
  PolyId sub(PolyId a, PolyId b) { return add(a, scale(b, -1)); }
  PolyId mul(PolyId a, PolyId b);
  /// floor(a / b); kBad unless b > 0 is shown.
  PolyId quotient(PolyId a, PolyId b);
  /// floor(a / extent), for an element that lies in a dimension of that extent, which is then not empty.
  PolyId quotient_in(PolyId a, PolyId extent);

  std::optional<std::int64_t> value(PolyId a) const;  // if it is a constant
  const Polynomial& terms(PolyId a) const { return polys_[a]; }
  const Atom& atom(AtomId a) const { return atoms_[a]; }
  std::size_t atom_count() const { return atoms_.size(); }
  const std::vector<PolyId>& facts() const { return facts_; }

  /// Is a >= 0 for all values of atoms in range? `false` means "not shown".
  bool nonnegative(PolyId a);
  bool nonnegative(PolyId a, const std::vector<PolyId>& extra_facts);
  /// The same polynomial, and a good one.
  bool same(PolyId a, PolyId b) const { return a == b && a != kBad; }

 private:
  PolyId intern(Polynomial poly);
  AtomId intern_atom(Atom atom, const std::string& key);
  PolyId of_atom(AtomId atom);
  std::pair<Polynomial, Polynomial> split(PolyId a, AtomId atom) const;  // a = first * atom + second
  PolyId substitute_linear(PolyId a, AtomId atom, PolyId by);
  std::pair<PolyId, PolyId> divide(PolyId a, PolyId b);
  bool shown(PolyId a, const std::vector<PolyId>& facts, int depth);
  bool bound_away(PolyId a, AtomId atom, const std::vector<PolyId>& facts, int depth);
  bool through_quotient(PolyId slope, PolyId rest, const Atom& q, bool up, const std::vector<PolyId>& facts,
                        int depth);
  bool by_fact(PolyId a, const std::vector<PolyId>& facts, int depth);

  std::vector<Atom> atoms_;
  std::map<std::string, AtomId> atom_ids_;
  std::vector<Polynomial> polys_;
  std::unordered_multimap<std::size_t, PolyId> poly_ids_;
  std::unordered_map<std::uint64_t, PolyId> sums_, products_, quotients_;
  std::unordered_map<PolyId, bool> shown_;
  std::vector<PolyId> facts_;
  std::uint64_t budget_ = 0;  // steps left of one nonnegative() question
};

}  // namespace noclobber
