// Random numbers that are the same on every machine.
#pragma once
#include <cstddef>
#include <cstdint>

namespace noclobber::fuzz {

/// splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::uint64_t next();
  /// 0 <= result < bound; bound > 0.
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }
  std::int64_t between(std::int64_t least, std::int64_t most) { return least + below(most - least + 1); }
  bool chance(int percent) { return below(100) < percent; }
  /// A random index of a nonempty list.
  std::size_t place_in(const auto& list) {
    return static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())));
  }
  auto& one_of(auto& list) { return list[place_in(list)]; }

 private:
  std::uint64_t state_;
};

}  // namespace noclobber::fuzz
