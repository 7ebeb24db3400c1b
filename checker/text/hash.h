// Hashes of files and of texts.
#pragma once
#include <string>
#include <string_view>

namespace noclobber {

/// Both are in lower-case hexadecimal. A certificate ends with the checksum of its text. Texts that differ in
/// one word of 8 bytes have different checksums; other differences are missed with probability 2^-64.
std::string sha256(std::string_view bytes);
std::string checksum(std::string_view bytes);

}  // namespace noclobber
