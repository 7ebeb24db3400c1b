#include "src/run/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace noclobber {

namespace {

constexpr std::size_t kLeastWidth = 40, kMostWidth = 1000;

bool wants_colour(const Options& options) {
  if (options.no_color || options.color == "never") return false;
  if (options.color == "always") return true;
  if (!environment("NO_COLOR").empty()) return false;
  const std::string_view forced = environment("CLICOLOR_FORCE");
  if (!forced.empty() && forced != "0") return true;
  return isatty(STDOUT_FILENO) != 0 && environment("TERM") != "dumb";
}

/// The width by COLUMNS or the terminal; 0 if neither gives it.
std::size_t told_width() {
  const std::string_view text = environment("COLUMNS");
  std::size_t width = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (fault == std::errc() && end == text.data() + text.size() && width > 0) return width;
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) return size.ws_col;
  return 0;
}

bool is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos ||
           value.find("utf-8") != value.npos || value.find("UTF8") != value.npos;
  }
  return false;
}

}  // namespace

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Look look_of(const Options& options) {
  Look out;
  out.colour = wants_colour(options);
  if (const std::size_t width = told_width(); width > 0)
    out.width = std::clamp(width, kLeastWidth, kMostWidth);
  out.unicode = is_utf8();
  out.lanes = options.lanes;
  out.quiet = options.quiet;
  return out;
}

bool can_redraw() { return isatty(STDERR_FILENO) != 0 && environment("TERM") != "dumb"; }

}  // namespace noclobber
