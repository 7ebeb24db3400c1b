// Line breaking. Lengths are in columns: one per code point, none for colour codes.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/report/style.h"

namespace noclobber {

/// The columns of a text, without its colour codes.
std::size_t shown_columns(std::string_view text);

/// Breaks a text at spaces into lines of at most `width` columns. The first line begins in column `first`,
/// the others are indented by `indent`. A longer word stays whole. A colour is ended at the end of a line and
/// begun again in the next.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t first);

/// "  note     TEXT\n", with all lines of the text in one column. `label` has no colour codes.
std::string row(std::string_view label, std::string_view text, const Look& look);

/// "a · b · c", with line breaks only between the parts.
std::string joined(const std::vector<std::string>& parts, const Look& look, std::size_t indent);

}  // namespace noclobber
