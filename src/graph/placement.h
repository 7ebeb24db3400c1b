// Concrete placements in arenas, and tables of them: a plan as a list of numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace noclobber {

/// Bytes [offset, offset + size) of an arena during the live range [first, last).
struct Placement {
  std::uint32_t arena = 0;
  std::int64_t offset = 0, size = 0;
  std::int64_t first = 0, last = 0;
  /// require: the sum does not overflow.
  std::int64_t end() const { return offset + size; }
  bool empty() const { return size <= 0 || last <= first; }
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// Rows of a plan file: the live range and the offset of each buffer. One arena.
struct PlanTable {
  std::string text;                // the file, which holds the names
  std::vector<std::size_t> names;  // per row: where its name begins in `text`; it ends before the comma
  std::vector<Placement> rows;     // offset 0 if the file has none
  bool has_offsets = false;
  std::string_view name(std::size_t row) const {
    const std::size_t at = names[row];
    return std::string_view(text).substr(at, text.find(',', at) - at);
  }
};

}  // namespace noclobber
