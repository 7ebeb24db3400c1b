// Distinct values, numbered in order of arrival: equal numbers mean equal values.
#pragma once
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>

namespace noclobber {

inline std::size_t mix(std::size_t h, std::uint64_t v) {
  return (h ^ v) * 1099511628211ULL + 0x9e3779b97f4a7c15ULL;
}

template <class T>
class Interned {
 public:
  /// `hash` is that of the value.
  std::uint32_t add(T value, std::size_t hash) {
    const auto [from, to] = ids_.equal_range(hash);
    for (auto it = from; it != to; ++it)
      if (all_[it->second] == value) return it->second;
    all_.push_back(std::move(value));
    ids_.emplace(hash, static_cast<std::uint32_t>(all_.size() - 1));
    return static_cast<std::uint32_t>(all_.size() - 1);
  }
  const T& operator[](std::uint32_t id) const { return all_[id]; }
  std::size_t size() const { return all_.size(); }

 private:
  std::deque<T> all_;  // references stay good
  std::unordered_multimap<std::size_t, std::uint32_t> ids_;
};

}  // namespace noclobber
