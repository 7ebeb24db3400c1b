// Sums of files and of texts.
#pragma once
#include <string>
#include <string_view>

namespace noclobber {

/// In lower-case hexadecimal. A certificate ends with the checksum of its text: a word of it that differs
/// gives another one, and anything else does so but for one in 2^64.
std::string sha256(std::string_view bytes);
std::string checksum(std::string_view bytes);

}  // namespace noclobber
