// What a terminal is like, and what its colours mean: a role, not a colour, is named where text is made.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace noclobber {

/// Where text goes to.
struct Look {
  bool colour = false;
  std::size_t width = 100;  // columns; lines of places and single words may be longer
  bool unicode = true;      // else pictures are drawn in ASCII
  bool lanes = false;       // draw the storages at fault
  bool quiet = false;       // what is not proved, and nothing else
};

enum class Role : std::uint8_t { plain, error, warning, good, note, name, number, path, dim };

/// ANSI codes, in the order of the roles.
inline constexpr std::array<std::string_view, 9> kRoleCodes = {
    "",      // plain
    "1;31",  // error: the fault, and the step that makes it
    "33",    // warning: unknown, lints, what is said of the other steps
    "32",    // good
    "36",    // note: labels
    "1",     // name: titles and names that are defined
    "35",    // number
    "4",     // path
    "2",     // dim: what is read last
};

/// `text` in the colour of its role; unchanged without `colour`.
inline std::string styled(std::string_view text, Role role, bool colour) {
  const std::string_view code = kRoleCodes[static_cast<std::size_t>(role)];
  if (!colour || code.empty() || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace noclobber
