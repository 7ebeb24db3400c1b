// Exact integer arithmetic over sizes and indices: polynomials with integer coefficients over atoms.
// Coefficients are checked int64; what overflows is kBad, which equals nothing, is never shown to be
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

/// More work than a text of its size may ask for.
struct TooMuchWork {};

inline std::size_t mix(std::size_t h, std::uint64_t v) {
  return (h ^ v) * 1099511628211ULL + 0x9e3779b97f4a7c15ULL;
}

constexpr std::uint32_t kUnset = ~std::uint32_t{0};

/// A number for each key, in one piece of storage. No key is kFree.
class Numbers {
 public:
  /// kUnset for a new key. Good until the next call.
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

  std::vector<Cell> cells_;  // their number is a power of 2
  std::size_t used_ = 0;
};

/// Distinct values, numbered in order of arrival: equal numbers mean equal values.
template <class T> class Interned {
 public:
  Interned() = default;
  Interned(Interned&&) noexcept = default;
  /// The value is copied only where it is new. `compared`: adds how many it was compared with.
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
  std::deque<T> all_;                                   // references stay good
  std::vector<std::pair<const T*, std::uint32_t>> at_;  // each, and the one before of the same hash
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
  std::uint64_t lanes = 0;  // running bytes that it depends on: bit n of an element of n bytes
  std::uint32_t depth = 1;  // of atoms inside of each other
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

/// Shows that its last line is >= 0 wherever `facts` are.
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
  /// No more than this is done from now on: about 10 ns each. Beyond: TooMuchWork.
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
  /// `fact` >= 0 holds in every run.
  void assume_nonnegative(PolyId fact);

  PolyId add(PolyId a, PolyId b);
  PolyId scale(PolyId a, std::int64_t factor) { return factor == 1 ? a : mul(a, constant(factor)); }
  PolyId sub(PolyId a, PolyId b) { return add(a, scale(b, -1)); }
  /// a - b - 1, which is >= 0 where a > b.
  PolyId beyond(PolyId a, PolyId b) { return sub(sub(a, b), constant(1)); }
  PolyId mul(PolyId a, PolyId b);
  /// floor(a / b); kBad unless b > 0 is shown.
  PolyId quotient(PolyId a, PolyId b) { return nonnegative(beyond(b, 0)) ? quotient_in(a, b) : kBad; }
  /// floor(a / extent), for an element that lies in a dimension of that extent, which is then not empty.
  PolyId quotient_in(PolyId a, PolyId extent);
  /// The sum of these, in any order.
  PolyId of(Polynomial sum);
  Monomial monomial(Product atoms, std::int64_t factor);

  /// Its value where `symbols` have these and there are no other atoms but quotients.
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
  /// Of elements of which widths does it depend on the running byte: as Atom::lanes.
  std::uint64_t lanes(PolyId a) const;
  bool has_lane(PolyId a) const { return lanes(a) != 0; }
  bool searches() const { return finder_ != nullptr; }

  /// Is a >= 0 for all values of atoms in range, where `facts` are? `false` means "not shown".
  bool nonnegative(PolyId a, const std::vector<PolyId>& facts = {});
  /// By the constant bounds of its atoms alone.
  bool plain(PolyId a) const { return bound(a, false).value_or(-1) >= 0; }
  std::optional<std::int64_t> bound(PolyId a, bool upper) const;
  /// Replays a derivation; what it shows counts from now on. false: it is wrong, or was there already.
  bool derive(const Derivation& derivation);
  /// All derivations that were replayed, and which of them an answer rested on.
  const std::vector<Derivation>& derivations() const { return derivations_; }
  const std::set<std::size_t>& used() const { return used_; }
  /// The same polynomial, and a good one.
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
  std::vector<std::pair<std::int64_t, PolyId>> constants_{1024, {0, kBad}};  // the latest of each remainder
  mutable std::uint64_t work_ = 0;
  std::uint64_t most_work_ = ~std::uint64_t{0} / 2;
};

/// What a line shows to be >= 0, where those before it show `shown`; kBad if it shows nothing.
PolyId line_shows(Space& space, const Line& line, const std::vector<PolyId>& facts,
                  const std::vector<PolyId>& shown);

}  // namespace noclobber
