// TOML files as a flat list of items with line numbers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

namespace noclobber {

/// One key and its value. Each element of a list of tables (`[[accept]]`) begins with an item without a key.
struct TomlItem {
  enum class Kind : std::uint8_t { text, number, flag, table, other } kind = Kind::other;
  std::string table;        // "tool.noclobber"; "" at the top
  std::size_t element = 0;  // index in a list of tables
  std::string key;
  std::string text;  // text, or a date as "2026-12-31"
  std::int64_t number = 0;
  bool flag = false;
  std::size_t line = 0;
};

/// In the order of the lines. error: `where` is "line N, column M".
Result<std::vector<TomlItem>> read_toml(std::string_view text);

}  // namespace noclobber
