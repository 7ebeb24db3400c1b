// Spellings that records, terminal output and commands share.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "src/report/record.h"

namespace noclobber {

/// "proved", "refuted", "unknown", "error".
std::string_view status_name(Status status);

/// `text` on one line, safe for a terminal: control and bidirectional characters become \xNN, invalid UTF-8
/// '?'.
std::string printable(std::string_view text);
/// The number of code points. require: valid UTF-8.
std::size_t columns(std::string_view text);
/// At most `width` columns; the last is an ellipsis if something was cut. require: valid UTF-8, width > 0.
std::string shortened(std::string_view text, std::size_t width);

/// "a, b and 3 more": the first `shown` items and the number of the others.
std::string some_of(const std::vector<std::string>& items, std::size_t shown);
/// Text for XML or HTML, between tags or in a double-quoted attribute. It goes through printable() first.
std::string escaped(std::string_view text);
/// The type "i64[2,6]" of a name in the finding; "" if the finding does not record it.
std::string type_in(const Finding& finding, const std::string& name);

/// An id in tlparse's notation: "-_0_0_0/post_grad" -> "[0/0] post-grad", "rank_3/-_1_2_1/joint" ->
/// "rank 3 [1/2_1] joint". Any other id is only made printable().
std::string shown_id(std::string_view id);

}  // namespace noclobber
