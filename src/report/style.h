// Terminal colours: a role, not a colour, is named where text is made.
#pragma once
#include <string>
#include <string_view>

namespace noclobber {

enum class Role : std::uint8_t { plain, fault, warning, good, faint, strong };

/// `text` in the colour of its role; unchanged without `colour`.
inline std::string styled(std::string_view text, Role role, bool colour) {
  if (!colour || role == Role::plain) return std::string(text);
  std::string_view code;
  switch (role) {
    case Role::plain:
      break;
    case Role::fault:
      code = "1;31";
      break;
    case Role::warning:
      code = "33";
      break;
    case Role::good:
      code = "32";
      break;
    case Role::faint:
      code = "2";
      break;
    case Role::strong:
      code = "1";
      break;
  }
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace noclobber
