// Names to what is known of them. A name is told apart by its length and its first, middle and last eight
// bytes before it is compared: a quarter of the time that a lookup by the library's hash takes, and a step of
// a graph asks some twenty times (`make bench` times whole checks).
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

/// Filled once, then read from any thread. Names must outlive the table.
template <class T>
class NameTable {
 public:
  /// At most `count` names will be added.
  explicit NameTable(std::size_t count) : rows_(std::bit_ceil(2 * count + 1)) {}

  /// The first of two values of one name stays.
  void add(std::string_view name, T value) {
    std::size_t at = place(name);
    if (rows_[at].first.data() == nullptr) rows_[at] = {name, std::move(value)};
  }
  const T* find(std::string_view name) const {
    const auto& row = rows_[place(name)];
    return row.first.data() != nullptr ? &row.second : nullptr;
  }

 private:
  /// Where the name stands, or would stand: half of the rows are empty.
  std::size_t place(std::string_view name) const {
    std::size_t at = name_hash(name) & (rows_.size() - 1);
    while (rows_[at].first.data() != nullptr && rows_[at].first != name) at = (at + 1) & (rows_.size() - 1);
    return at;
  }

  std::vector<std::pair<std::string_view, T>> rows_;
};

/// The numbers of names that stand in a list: eight bytes a name, where a map of copies takes eighty. The
/// list is given as what tells name k of it.
class NameNumbers {
 public:
  std::optional<std::uint32_t> find(std::string_view name, const auto& list) const {
    const std::uint32_t found = rows_.empty() ? kNone : rows_[place(name, list)];
    return found == kNone ? std::nullopt : std::optional(found);
  }
  /// require: none of the names added before.
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

  std::vector<std::uint32_t> rows_;  // half of them, or more, hold none
  std::size_t count_ = 0;
};

}  // namespace noclobber
