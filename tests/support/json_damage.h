// JSON as it is after typing errors.
#pragma once
#include <random>
#include <string>
#include <string_view>

namespace noclobber::testing {

/// One to three of its bytes are others, more or less; most are such that JSON gives a meaning to. require:
/// there are that many.
inline std::string mistyped(std::string text, std::mt19937& random) {
  constexpr std::string_view kBytes = "\"\\{}[]:,.-0123eE+ntfu \t\n\x01\x7f\x80\xc3";
  for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
    const std::size_t at = random() % text.size();
    const char byte = kBytes[random() % kBytes.size()];
    if (random() % 3 == 0)
      text.erase(at, 1);
    else if (random() % 2 == 0)
      text.insert(at, 1, byte);
    else
      text[at] = byte;
  }
  return text;
}

}  // namespace noclobber::testing
