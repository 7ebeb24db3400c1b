// The properties of a terminal, and roles of text. Code that makes text names a role, not a colour.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace noclobber {

/// How text is written to its destination.
struct Look {
  bool colour = false;
  std::size_t width = 100;  // columns; lines of places and single words may be longer
  bool unicode = true;      // false: pictures are drawn in ASCII
  bool lanes = false;       // draw the storages at fault
  bool quiet = false;       // print only what is not proved
};

enum class Role : std::uint8_t { plain, error, warning, good, note, name, number, path, dim };

/// ANSI codes, in the order of the roles.
inline constexpr std::array<std::string_view, 9> kRoleCodes = {
    "",      // plain
    "1;31",  // error: the fault, and the step at fault
    "33",    // warning: unknown, lints, notes on the other steps
    "32",    // good
    "36",    // note: labels
    "1",     // name: titles and defined names
    "35",    // number
    "4",     // path
    "2",     // dim: secondary text
};

/// `text` in the colour of its role; unchanged without `colour`.
inline std::string styled(std::string_view text, Role role, bool colour) {
  const std::string_view code = kRoleCodes[static_cast<std::size_t>(role)];
  if (!colour || code.empty() || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace noclobber
