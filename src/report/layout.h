// Text in lines of a width. Lengths are in columns, one per code point; codes of colours have none.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/report/style.h"

namespace noclobber {

/// Columns of text that may hold colours.
std::size_t shown_columns(std::string_view text);

/// Lines of at most `width` columns, broken at spaces; the first begins in column `first`, the others are
/// indented by `indent`. A word that is longer stays whole. A colour ends with its line and begins again in
/// the next.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t first);

/// "  note     TEXT\n", the text in lines under each other. `label`: plain.
std::string row(std::string_view label, std::string_view text, const Look& look);

/// "a · b · c": broken only between the parts.
std::string joined(const std::vector<std::string>& parts, const Look& look, std::size_t indent);

}  // namespace noclobber
