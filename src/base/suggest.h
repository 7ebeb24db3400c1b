// "Did you mean": the nearest known word.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace noclobber {

/// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other. Words
/// longer than 64 characters are cut.
std::size_t edit_distance(std::string_view from, std::string_view to);

/// The nearest of `known` to `word` if it is near enough to be meant (a third of its length, at least 2
/// edits); the first of equals; "" if none is.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// "; did you mean 'WORD'?" of the nearest, or "".
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace noclobber
