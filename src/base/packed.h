// Bytes as text that any other file can hold: zlib's format in base64.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace noclobber {

/// Letters, digits, '+', '/' and '='. Equal bytes are packed equally by one build.
std::string packed(std::string_view bytes);

struct Unpacked {
  std::string bytes;   // as far as they can be read
  bool whole = false;  // all of them are there, and their checksum is right
};
/// At most `most` bytes of what was packed; of more, or of a damaged or cut text, what is before that.
Unpacked unpacked(std::string_view text, std::size_t most);

}  // namespace noclobber
