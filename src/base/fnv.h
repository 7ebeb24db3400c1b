// The 64-bit FNV-1a hash: the hash of a text is the same in every run. Source:
// http://www.isthe.com/chongo/tech/comp/fnv
#pragma once
#include <cstdint>
#include <string_view>

namespace noclobber {

class Fnv {
 public:
  void mix(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3ULL; }
  void add(std::string_view text) {
    for (const char c : text) mix(static_cast<unsigned char>(c));
  }
  /// Adds the text and the byte 0xff, which UTF-8 never contains: "ab", "c" hashes differently from "a",
  /// "bc".
  void add_part(std::string_view text) {
    add(text);
    mix(0xff);
  }
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace noclobber
