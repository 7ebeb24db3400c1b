// Hash tables keyed by names. The hash mixes the length of a name and its first, middle and last eight bytes;
// a hit is then compared in full. A lookup takes a quarter of the time that it takes with the library's hash,
// and a check makes some twenty lookups for a step of a graph (`make bench` times whole checks).
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace noclobber {

inline std::size_t name_hash(std::string_view name) {
  constexpr std::size_t kPart = sizeof(std::uint64_t);
  const std::size_t size = name.size();
  std::uint64_t parts[3] = {0, 0, 0};
  if (size >= kPart) {
    std::memcpy(&parts[0], name.data(), kPart);
    std::memcpy(&parts[1], name.data() + (size - kPart) / 2, kPart);
    std::memcpy(&parts[2], name.data() + size - kPart, kPart);
  } else if (size > 0) {
    std::memcpy(parts, name.data(), size);
  }
  std::uint64_t out = size;
  for (const std::uint64_t part : parts) {
    out = (out ^ part) * 0x9e3779b97f4a7c15ULL;
    out ^= out >> 32U;
  }
  return static_cast<std::size_t>(out);
}

/// A map from names to T. It is filled once, then read from any thread. Names must outlive the table.
template <class T>
class NameTable {
 public:
  /// `count`: an upper bound of the number of names that will be added.
  explicit NameTable(std::size_t count) : rows_(std::bit_ceil(2 * count + 1)) {}

  /// Does nothing if the name has a value already.
  void add(std::string_view name, T value) {
    std::size_t at = place(name);
    if (rows_[at].first.data() == nullptr) rows_[at] = {name, std::move(value)};
  }
  const T* find(std::string_view name) const {
    const auto& row = rows_[place(name)];
    return row.first.data() != nullptr ? &row.second : nullptr;
  }

 private:
  /// The row of the name, or the empty row where it would go. At least half of the rows are empty.
  std::size_t place(std::string_view name) const {
    std::size_t at = name_hash(name) & (rows_.size() - 1);
    while (rows_[at].first.data() != nullptr && rows_[at].first != name) at = (at + 1) & (rows_.size() - 1);
    return at;
  }

  std::vector<std::pair<std::string_view, T>> rows_;
};

/// A map from the names of a list to their numbers. It stores eight bytes a name, where a map of copies takes
/// eighty. `list` maps a number to its name.
class NameNumbers {
 public:
  std::optional<std::uint32_t> find(std::string_view name, const auto& list) const {
    const std::uint32_t found = rows_.empty() ? kNone : rows_[place(name, list)];
    return found == kNone ? std::nullopt : std::optional(found);
  }
  /// require: no equal name was added before.
  void add(std::uint32_t number, const auto& list) {
    if (2 * ++count_ > rows_.size()) {
      std::vector<std::uint32_t> old(std::max<std::size_t>(16, 2 * rows_.size()), kNone);
      old.swap(rows_);
      for (const std::uint32_t one : old)
        if (one != kNone) rows_[place(list(one), list)] = one;
    }
    rows_[place(list(number), list)] = number;
  }
  void clear() { rows_.clear(), count_ = 0; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::size_t place(std::string_view name, const auto& list) const {
    std::size_t at = name_hash(name) & (rows_.size() - 1);
    while (rows_[at] != kNone && list(rows_[at]) != name) at = (at + 1) & (rows_.size() - 1);
    return at;
  }

  std::vector<std::uint32_t> rows_;  // at least half of them are kNone
  std::size_t count_ = 0;
};

}  // namespace noclobber
