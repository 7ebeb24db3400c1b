// Spellings that records, terminal and commands share.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "src/report/record.h"

namespace noclobber {

/// "proved", "refuted", "unknown", "error".
std::string_view status_name(Status status);

/// `text` on one line that a terminal may be given: control characters as \xNN, broken UTF-8 as '?'.
std::string printable(std::string_view text);
/// Columns that valid UTF-8 takes, every code point counted as one.
std::size_t columns(std::string_view text);
/// At most `width` columns of valid UTF-8, the last an ellipsis if something was cut. require: width > 0.
std::string shortened(std::string_view text, std::size_t width);

/// "a, b and 3 more": the first few, then how many more there are.
std::string some_of(const std::vector<std::string>& items, std::size_t shown);
/// Text as markup has it, between elements or in an attribute in double quotes; control characters are shown.
std::string escaped(std::string_view text);
/// "i64[2,6]" of a name that the finding shows; "" if it does not say.
std::string type_in(const Finding& finding, const std::string& name);

/// An id as tlparse shows it: "-_0_0_0/post_grad" -> "[0/0] post-grad", "rank_3/-_1_2_1/joint" ->
/// "rank 3 [1/2_1] joint". Any other id stays as it is.
std::string shown_id(std::string_view id);

}  // namespace noclobber
