#include "src/plan/numbers.h"

#include "src/base/number.h"

#include <algorithm>
#include <set>

namespace noclobber {
namespace {

constexpr std::size_t kSamples = 64;
constexpr std::size_t kTried = 4096;
constexpr std::uint32_t kLanePosition = 1000;  // Space::kLane: the running byte of an element

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

/// The value of a symbol, or of "s0/8", the eighth of s0.
std::optional<std::int64_t> symbol_value(const std::string& name, const SymbolValues& symbols) {
  if (const auto at = symbols.find(name); at != symbols.end()) return at->second;
  const std::size_t slash = name.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto at = symbols.find(name.substr(0, slash));
  const auto unit = leading_number<std::int64_t>(name.substr(slash + 1));
  if (at == symbols.end() || !unit || *unit <= 0 || at->second % *unit != 0) return std::nullopt;
  return at->second / *unit;
}

std::optional<std::int64_t> atom_value(const Space& space, const Atom& atom, const SymbolValues& symbols,
                                       const std::vector<std::int64_t>& index) {
  switch (atom.kind) {
    case Atom::Kind::symbol:
      return symbol_value(atom.name, symbols);
    case Atom::Kind::index:
      if (atom.position == kLanePosition) return 0;
      if (atom.position >= index.size()) return std::nullopt;
      return index[atom.position];
    case Atom::Kind::quotient: {
      const auto a = number_of(space, atom.first, symbols, index);
      const auto b = number_of(space, atom.second, symbols, index);
      if (!a || !b || *b <= 0) return std::nullopt;
      return floor_div(*a, *b);
    }
    case Atom::Kind::opaque: {
      std::vector<std::int64_t> of;
      for (const PolyId argument : atom.arguments) {
        const auto known = number_of(space, argument, symbols, index);
        if (!known) return std::nullopt;
        of.push_back(*known);
      }
      if (of.size() == 2 && atom.name == "min") return std::min(of[0], of[1]);
      if (of.size() == 2 && atom.name == "max") return std::max(of[0], of[1]);
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Values to try for a symbol, the ends of its range first.
std::vector<std::int64_t> candidates(const SymbolRange& range) {
  const std::int64_t unit = std::max<std::int64_t>(range.multiple_of, 1);
  const std::int64_t low = floor_div(range.min + unit - 1, unit) * unit;
  std::vector<std::int64_t> out{low};
  const std::int64_t high = range.max ? floor_div(*range.max, unit) * unit : low + 1000 * unit;
  out.push_back(high);
  if (range.hint) out.push_back(*range.hint);
  for (const std::int64_t step : {1, 2, 3, 5, 8, 17, 64}) out.push_back(low + step * unit);
  out.push_back(high - unit);
  std::vector<std::int64_t> kept;
  for (const std::int64_t n : out) {
    const bool legal = n >= range.min && (!range.max || n <= *range.max) && n % unit == 0;
    if (legal && std::ranges::find(kept, n) == kept.end()) kept.push_back(n);
  }
  return kept;
}

}  // namespace

std::optional<std::int64_t> number_of(const Space& space, PolyId poly, const SymbolValues& symbols,
                                      const std::vector<std::int64_t>& index) {
  if (poly == Space::kBad) return std::nullopt;
  std::int64_t sum = 0;
  for (const Monomial& term : space.terms(poly)) {
    std::int64_t product = term.factor;
    for (const AtomId id : space.atoms(term)) {
      const auto factor = atom_value(space, space.atom(id), symbols, index);
      if (!factor || __builtin_mul_overflow(product, *factor, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

std::vector<SymbolValues> symbol_samples(const Case& value) {
  if (value.symbols.empty()) return {SymbolValues{}};
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> choices;
  std::size_t longest = 0;
  for (const auto& [name, range] : value.symbols) {
    choices.emplace_back(name, candidates(range));
    if (choices.back().second.empty()) return {};
    longest = std::max(longest, choices.back().second.size());
  }
  std::set<SymbolValues> seen;
  std::vector<SymbolValues> out;
  // All symbols take their k-th candidate first; mixtures follow, in which each symbol advances at its own
  // pace.
  for (std::size_t k = 0; k < kTried && out.size() < kSamples; ++k) {
    SymbolValues values;
    std::size_t pace = k < longest ? k : k - longest;
    for (const auto& [name, numbers] : choices) {
      values[name] = numbers[pace % numbers.size()];
      if (k >= longest) pace /= numbers.size();
    }
    const bool legal = std::ranges::all_of(
        value.assume, [&](const SymRelation& relation) { return holds(relation, values); });
    if (legal && seen.insert(values).second) out.push_back(std::move(values));
  }
  return out;
}

}  // namespace noclobber
