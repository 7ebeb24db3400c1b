// Exact integer arithmetic over sizes and indices: polynomials with integer coefficients over atoms.
// Coefficients are checked int64. An overflow gives kBad, which equals nothing, is never shown to be
// nonnegative, and makes everything computed from it bad.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace noclobber {

/// Thrown if a text takes more work than its size allows.
struct TooMuchWork {};

inline std::size_t mix(std::size_t h, std::uint64_t v) {
  return (h ^ v) * 1099511628211ULL + 0x9e3779b97f4a7c15ULL;
}

constexpr std::uint32_t kUnset = ~std::uint32_t{0};

/// A hash map from keys to numbers in one allocation. kFree is not a valid key.
class Numbers {
 public:
  /// The number of the key, kUnset for a new key. The reference is valid until the next call.
  std::uint32_t& operator[](std::uint64_t key) {
    if (2 * used_ >= cells_.size()) grow();
    Cell& out = cell(key);
    used_ += out.key == key ? 0 : 1;
    out.key = key;
    return out.number;
  }
  std::uint32_t at(std::uint64_t key) const { return cells_.empty() ? kUnset : cells_[place(key)].number; }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  struct Cell {
    std::uint64_t key = kFree;
    std::uint32_t number = kUnset;
  };
  std::size_t place(std::uint64_t key) const {
    std::size_t at = key * 0x9e3779b97f4a7c15ULL;
    at ^= at >> 32;
    while (cells_[at &= cells_.size() - 1].key != key && cells_[at].key != kFree) ++at;
    return at;
  }
  Cell& cell(std::uint64_t key) { return cells_[place(key)]; }
  void grow() {
    const std::size_t size = std::max<std::size_t>(64, 2 * cells_.size());
    for (const Cell& one : std::exchange(cells_, std::vector<Cell>(size)))
      if (one.key != kFree) cell(one.key) = one;
  }

  std::vector<Cell> cells_;  // the size is a power of 2
  std::size_t used_ = 0;
};

/// Distinct values, numbered in order of insertion: equal numbers mean equal values.
template <class T> class Interned {
 public:
  Interned() = default;
  Interned(Interned&&) noexcept = default;
  /// Copies the value only if it is new. `compared` is increased by the number of unequal values met.
  template <class U = T> std::uint32_t add(U&& value, std::size_t hash, std::uint64_t* compared = nullptr) {
    std::uint32_t& latest = ids_[hash / 2];
    for (std::uint32_t id = latest; id != kUnset; id = at_[id].second) {
      if (*at_[id].first == value) return id;
      if (compared != nullptr) ++*compared;
    }
    at_.emplace_back(&all_.emplace_back(std::forward<U>(value)), latest);
    return latest = static_cast<std::uint32_t>(at_.size() - 1);
  }
  const T& operator[](std::uint32_t id) const { return *at_[id].first; }

 private:
  std::deque<T> all_;                                   // references stay valid
  std::vector<std::pair<const T*, std::uint32_t>> at_;  // each value, and the one before it of the same hash
  Numbers ids_;
};

using PolyId = std::uint32_t;  // equal ids: equal polynomials
using AtomId = std::uint32_t;
using SymbolValues = std::map<std::string, std::int64_t>;

using Product = std::vector<AtomId>;  // sorted, with repetition
/// One product of atoms, by its number in the space, and its coefficient (never 0).
struct Monomial {
  AtomId first = 0;  // its first atom + 1; 0 for the empty product, which has number 0
  std::uint32_t product = 0;
  std::int64_t factor = 0;
  friend bool operator==(const Monomial&, const Monomial&) = default;
};
using Polynomial = std::vector<Monomial>;  // sorted by atoms, each product once

struct Atom {
  enum class Kind : std::uint8_t {
    symbol,    // in its range
    index,     // 0 <= index < first
    quotient,  // floor(first / second), second > 0
    opaque     // an uninterpreted integer function of `arguments`
  };
  Kind kind = Kind::symbol;
  std::string name;            // symbol, opaque
  std::uint32_t position = 0;  // index: which dimension
  PolyId first = 0, second = 0;
  std::vector<PolyId> arguments;
  std::int64_t least = 0;  // constant bounds, where there are any
  std::optional<std::int64_t> most;
  bool bounded_below = true;
  std::uint64_t lanes = 0;  // bit n: depends on the running byte of elements of n bytes
  std::uint32_t depth = 1;  // nesting depth of atoms
};

/// One line of a derivation says that a polynomial is >= 0.
struct Line {
  enum class Rule : std::uint8_t {
    plain,     // poly, by the constant bounds of its atoms
    fact,      // poly, one of the facts
    below,     // of the atom `poly`: extent - 1 - index, or dividend - divisor * quotient
    above,     // of the quotient `poly`: divisor * quotient - dividend + divisor - 1
    divisor,   // of the quotient `poly`: divisor - 1
    add,       // line a + line b
    multiply,  // line a * line b
    divide     // poly, where line a is by * poly + r, line b is by - 1 - r, line c is by - 1
  };
  Rule rule = Rule::plain;
  std::uint32_t a = 0, b = 0, c = 0;
  PolyId poly = 0, by = 0;
};

/// Shows that its last line is >= 0 wherever all of `facts` are.
struct Derivation {
  std::vector<PolyId> facts;
  std::vector<Line> lines;
};

/// Owns all atoms and polynomials of one check (both graphs), so that ids are comparable.
class Space {
 public:
  static constexpr PolyId kBad = kUnset;
  static constexpr std::uint32_t kLane = 1000;  // position of the running byte: beyond any rank
  using Finder = std::function<std::optional<Derivation>(Space&, PolyId, const std::vector<PolyId>& facts)>;

  /// `finder` proposes derivations, which are then replayed; without one, only given evidence counts.
  explicit Space(Finder finder = nullptr) : finder_(std::move(finder)) {
    monomial({}, 0);
    of({}), constant(1);  // have the numbers 0 and 1
  }
  /// Limits the work from now on, in units of about 10 ns. Beyond it work() throws TooMuchWork.
  void limit_work(std::uint64_t most) { work_ = 0, most_work_ = most; }
  void work(std::uint64_t done) const {
    work_ += done;
    if (work_ > most_work_) throw TooMuchWork();
  }
  PolyId constant(std::int64_t value) {
    auto& [known, id] = constants_[static_cast<std::uint64_t>(value) % constants_.size()];
    if (id == kBad || known != value) known = value, id = of({{0, 0, value}});
    return id;
  }
  /// A symbol, made on first use; range() may narrow it before anything is proved.
  PolyId symbol(const std::string& name) {
    return of_atom({Atom::Kind::symbol, name, 0, 0, 0, {}, 0, {}}, "s" + name);
  }
  void range(const std::string& name, std::optional<std::int64_t> least, std::optional<std::int64_t> most);
  /// The index of dimension `position` with extent `extent`; 0 where the extent is 1.
  PolyId index(std::uint32_t position, PolyId extent);
  PolyId opaque(const std::string& name, std::vector<PolyId> arguments);
  /// Assumes that `fact` >= 0 in every run.
  void assume_nonnegative(PolyId fact);

  PolyId add(PolyId a, PolyId b);
  PolyId scale(PolyId a, std::int64_t factor) { return factor == 1 ? a : mul(a, constant(factor)); }
  PolyId sub(PolyId a, PolyId b) { return add(a, scale(b, -1)); }
  /// a - b - 1, which is >= 0 where a > b.
  PolyId beyond(PolyId a, PolyId b) { return sub(sub(a, b), constant(1)); }
  PolyId mul(PolyId a, PolyId b);
  /// floor(a / b). kBad unless b > 0 is shown.
  PolyId quotient(PolyId a, PolyId b) { return nonnegative(beyond(b, 0)) ? quotient_in(a, b) : kBad; }
  /// floor(a / extent), at places where a dimension of this extent has an element, so that extent > 0.
  PolyId quotient_in(PolyId a, PolyId extent);
  /// The sum of these monomials, which may be in any order.
  PolyId of(Polynomial sum);
  Monomial monomial(Product atoms, std::int64_t factor);

  /// The value of `a` for these symbols. Empty if it has atoms other than these and quotients, or overflows.
  std::optional<std::int64_t> value(PolyId a, const SymbolValues& symbols) const;
  std::optional<std::int64_t> value(PolyId a) const {
    if (a == kBad || polys_[a].empty()) return a == kBad ? std::nullopt : std::optional<std::int64_t>(0);
    return polys_[a].back().first == 0 ? polys_[a].back().factor : value(a, {});
  }
  const Polynomial& terms(PolyId a) const { return polys_[a]; }
  const Product& atoms(const Monomial& m) const { return products_[m.product]; }
  const Atom& atom(AtomId a) const { return atoms_[a]; }
  std::size_t atom_count() const { return atoms_.size(); }
  const std::vector<PolyId>& facts() const { return facts_; }
  /// The running bytes that `a` depends on, as Atom::lanes.
  std::uint64_t lanes(PolyId a) const;
  bool has_lane(PolyId a) const { return lanes(a) != 0; }
  bool searches() const { return finder_ != nullptr; }

  /// True if a >= 0 is shown for all values of its atoms in range at which `facts` are >= 0.
  bool nonnegative(PolyId a, const std::vector<PolyId>& facts = {});
  /// True if a >= 0 by the constant bounds of its atoms alone. Lemma 1.
  bool plain(PolyId a) const { return bound(a, false).value_or(-1) >= 0; }
  std::optional<std::int64_t> bound(PolyId a, bool upper) const;
  /// Replays a derivation and records what it shows. False if it is wrong or already recorded.
  bool derive(const Derivation& derivation);
  /// All derivations that were recorded, and those that an answer rested on.
  const std::vector<Derivation>& derivations() const { return derivations_; }
  const std::set<std::size_t>& used() const { return used_; }
  /// True if both are one polynomial other than kBad.
  bool same(PolyId a, PolyId b) const { return a == b && a != kBad; }

 private:
  struct Known {
    std::vector<PolyId> facts;  // sorted
    std::size_t derivation = 0;
  };
  PolyId of_atom(Atom atom, const std::string& key);
  bool known(PolyId a, const std::vector<PolyId>& facts);

  std::vector<Atom> atoms_;
  std::unordered_map<std::string, AtomId> atom_ids_;
  Interned<Product> products_;
  Interned<Polynomial> polys_;
  Numbers sum_, product_, quotient_, index_;
  std::vector<PolyId> facts_;
  Finder finder_;
  std::unordered_map<PolyId, std::vector<Known>> known_;
  std::vector<Derivation> derivations_;
  std::set<std::size_t> used_;
  std::set<PolyId> not_found_;
  std::vector<std::pair<std::int64_t, PolyId>> constants_{1024, {0, kBad}};  // the latest of each residue
  mutable std::uint64_t work_ = 0;
  std::uint64_t most_work_ = ~std::uint64_t{0} / 2;
};

/// The polynomial that a line shows to be >= 0, where the lines before it show `shown`; kBad if none.
PolyId line_shows(Space& space, const Line& line, const std::vector<PolyId>& facts,
                  const std::vector<PolyId>& shown);

}  // namespace noclobber
