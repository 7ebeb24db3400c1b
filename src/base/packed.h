// Bytes as text that can be embedded in any other file: zlib's format in base64.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace noclobber {

/// Compresses the bytes into letters, digits, '+', '/' and '='. Deterministic within one build.
std::string packed(std::string_view bytes);

struct Unpacked {
  std::string bytes;   // up to the first damage or the bound
  bool whole = false;  // true: all bytes are there, and their checksum matches
};
/// Decompresses at most `most` bytes. A longer, damaged or cut text gives the bytes before that point, and
/// `whole` is false.
Unpacked unpacked(std::string_view text, std::size_t most);

}  // namespace noclobber
