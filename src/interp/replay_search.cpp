#include "src/interp/replay_search.h"

#include <algorithm>

namespace noclobber {

namespace {

/// Smallest multiple of `step` that is at least `low`. Empty on overflow.
std::optional<std::int64_t> round_up(std::int64_t low, std::int64_t step) {
  if (step <= 1) return low;
  const std::int64_t rest = ((low % step) + step) % step;
  std::int64_t out = 0;
  if (rest == 0) return low;
  if (__builtin_add_overflow(low, step - rest, &out)) return std::nullopt;
  return out;
}

/// The range of a symbol in runs. Without a declared range: a few sizes for which compilers do not
/// specialize, so neither 0 or 1 nor negative ones.
SymbolRange runnable(SymbolRange range) {
  constexpr std::int64_t kLeast = 2, kMost = 64;
  if (range.told) return range;
  range.min = std::max(range.min, kLeast);
  range.max = std::max(range.min, std::min(range.max.value_or(kMost), kMost));
  return range;
}

/// The k-th smallest value of a symbol, or its largest if there are fewer.
std::int64_t kth_value(const SymbolRange& given, std::int64_t k) {
  const SymbolRange range = runnable(given);
  const std::int64_t step = std::max<std::int64_t>(1, range.multiple_of);
  const std::int64_t first = round_up(range.min, step).value_or(range.min);
  std::int64_t value = first;
  std::int64_t reach = 0;
  if (!__builtin_mul_overflow(k, step, &reach)) {
    if (__builtin_add_overflow(first, reach, &value)) value = first;
  }
  while (range.max && value > *range.max && value - step >= first) value -= step;
  return value;
}

/// A fixed pseudo-random sequence.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::int64_t below(std::int64_t bound) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t state_;
};

class Collector {
 public:
  Collector(const Case& value, std::size_t most) : value_(value), most_(most) {}
  void take(const Symbols& symbols) {
    if (full() || !allowed(value_, symbols)) return;
    if (std::find(found_.begin(), found_.end(), symbols) == found_.end()) found_.push_back(symbols);
  }
  /// Takes the assignment in which symbol number i has its pick(i)-th smallest value.
  template <class Pick>
  void take_kth(Pick pick) {
    Symbols symbols;
    std::int64_t i = 0;
    for (const auto& [name, range] : value_.symbols) symbols[name] = kth_value(range, pick(i++));
    take(symbols);
  }
  bool full() const { return found_.size() >= most_; }
  std::vector<Symbols> found() && { return std::move(found_); }

 private:
  const Case& value_;
  std::size_t most_;
  std::vector<Symbols> found_;
};

constexpr std::size_t kModelsTried = 8;
constexpr std::int64_t kSmall = 32;

bool is_small(const Symbols& symbols) {
  return std::all_of(symbols.begin(), symbols.end(), [](const auto& s) { return s.second <= kSmall; });
}

/// Completes a model, which may name only some symbols, with the smallest values of the others.
Symbols completed(const Case& value, const Symbols& hint) {
  Symbols out;
  for (const auto& [name, range] : value.symbols) {
    const auto at = hint.find(name);
    out[name] = at != hint.end() ? at->second : kth_value(range, 0);
  }
  return out;
}

}  // namespace

bool allowed(const Case& value, const Symbols& symbols) {
  for (const auto& [name, given] : value.symbols) {
    const SymbolRange range = runnable(given);
    const auto at = symbols.find(name);
    if (at == symbols.end() || at->second < range.min) return false;
    if (range.max && at->second > *range.max) return false;
    if (range.multiple_of > 1 && at->second % range.multiple_of != 0) return false;
  }
  return std::all_of(value.assume.begin(), value.assume.end(),
                     [&symbols](const SymRelation& relation) { return holds(relation, symbols); });
}

std::vector<Symbols> assignments(const Case& value, const ReplayHint& hint, std::size_t most) {
  if (value.symbols.empty()) return {Symbols{}};
  Collector found(value, most);
  const auto from_models = [&](bool small, std::size_t most_of_them) {
    for (const Symbols& model : hint.symbols) {
      const Symbols symbols = completed(value, model);
      if (most_of_them == 0 || is_small(symbols) != small) continue;
      found.take(symbols);
      --most_of_them;
    }
  };
  from_models(true, kModelsTried);
  const auto count = static_cast<std::int64_t>(value.symbols.size());
  for (const std::int64_t k : {0, 1, 2, 3}) found.take_kth([k](std::int64_t) { return k; });
  found.take_kth([](std::int64_t i) { return i + 1; });
  found.take_kth([count](std::int64_t i) { return count - i; });
  Symbols seen;
  for (const auto& [name, range] : value.symbols) seen[name] = range.hint.value_or(kth_value(range, 0));
  found.take(seen);
  for (std::int64_t big = 0; big < std::min<std::int64_t>(count, 4); ++big) {
    found.take_kth([big](std::int64_t i) { return i == big ? 3 : 1; });
  }
  from_models(false, kModelsTried);  // large ones last: such a run may leave no work for those that follow
  Dice dice(count == 0 ? 1 : static_cast<std::uint64_t>(count));
  for (int attempt = 0; attempt < 4000 && !found.full(); ++attempt) {
    const std::int64_t spread = 3 + attempt / 40;
    found.take_kth([&dice, spread](std::int64_t) { return dice.below(spread); });
  }
  return std::move(found).found();
}

std::vector<Trial> trials(const Case& value, const ReplayHint& hint, std::size_t most) {
  std::vector<Trial> out;
  if (hint.seed) {
    const Symbols symbols = completed(value, hint.symbols.empty() ? Symbols() : hint.symbols.front());
    if (allowed(value, symbols)) out.push_back({symbols, *hint.seed});
    return out;
  }
  const std::vector<Symbols> sizes = assignments(value, hint, std::max<std::size_t>(1, most / 2));
  const auto take = [&](std::size_t from, std::size_t to, std::uint64_t seed) {
    for (std::size_t i = from; i < std::min(to, sizes.size()) && out.size() < most; ++i)
      out.push_back({sizes[i], seed});
  };
  // Counting contents are plainest. Odd seeds keep integers in {0, 1}, which index almost anything. kTelling
  // has values that a narrower dtype would lose. With kPositive, all roots and logarithms are numbers.
  take(0, 8, 0);
  take(0, 8, 1);
  take(8, sizes.size(), 0);
  for (std::uint64_t seed = 2; seed < 8; ++seed) take(0, 4, seed);
  for (const std::uint64_t seed : {kTelling, kTellingPositive, kPositive}) take(0, 2, seed);
  for (std::uint64_t seed = 1; seed < 4; ++seed) take(8, sizes.size(), seed);
  return out;
}

std::vector<Symbols> smaller(const Case& value, const Symbols& symbols) {
  std::vector<Symbols> out;
  for (const auto& [name, range] : value.symbols) {
    const auto at = symbols.find(name);
    if (at == symbols.end()) return {};
    for (std::int64_t k = 0; k < 4; ++k) {
      const std::int64_t less = kth_value(range, k);
      if (less >= at->second) break;
      Symbols next = symbols;
      next[name] = less;
      if (allowed(value, next)) out.push_back(std::move(next));
    }
  }
  return out;
}

}  // namespace noclobber
