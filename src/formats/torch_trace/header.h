// Headers of records, of which nearly all are plain: read by hand in a quarter of the time that the library
// takes, which was an eighth of a check (`make bench`). What is not plain is the library's.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace noclobber {

/// A JSON object of ASCII without `\u`, whose numbers have no exponent and at most 18 digits before the
/// point: its members, and those of objects among them, that are scalars or lists of scalars. What lies
/// deeper (stacks of frames, sizes by name) nobody asks for; it is checked, and left out. Nothing: something
/// else, or no JSON; ask the library.
std::optional<nlohmann::json> read_plain_header(std::string_view text);

/// Has such an object a member of that name? Of one of which nothing else is asked.
std::optional<bool> plain_header_has(std::string_view text, std::string_view name);

}  // namespace noclobber
