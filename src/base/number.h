// Reads a number at the beginning of a text.
#pragma once
#include <charconv>
#include <optional>
#include <string_view>

namespace noclobber {

/// The number that follows the prefix `head`: leading_number<int>("output 3", "output ") is 3. Empty if the
/// text does not begin with `head`, no number follows, or it does not fit. Text after the number is ignored.
template <class Number>
std::optional<Number> leading_number(std::string_view text, std::string_view head = {}) {
  if (!text.starts_with(head)) return std::nullopt;
  text.remove_prefix(head.size());
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace noclobber
