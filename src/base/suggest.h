// "Did you mean": the nearest known word.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace noclobber {

/// The least number of insertions, deletions, replacements and swaps of neighbours between two words. Words
/// longer than 64 characters are cut.
std::size_t edit_distance(std::string_view from, std::string_view to);

/// The nearest of `known` to `word`, the first of equals; "" if none is near enough: within a third of the
/// length of `word` (at least 2 edits), and with fewer edits than it has characters.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// "; did you mean 'WORD'?" for the nearest word; "" if there is none.
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace noclobber
