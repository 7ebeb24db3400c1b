#include "src/cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace noclobber {

namespace {

std::string escaped_bars(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  return text;
}

std::string markdown_row(std::string_view flag, std::string value, std::string_view commands,
                         std::string help) {
  const std::string gap = value.empty() ? "" : " ";
  return fmt::format("| `{}{}{}` | {} | {} |\n", flag, gap, escaped_bars(std::move(value)), commands,
                     escaped_bars(std::move(help)));
}

}  // namespace

std::string options_markdown() {
  constexpr std::string_view checks = "check, compare";
  constexpr std::string_view reads = "check, compare, trace";
  std::string out =
      "# Options\n\nMade by `noclobber --print-options-md` from `src/cli/options.def`; do not edit.\n\n"
      "| option | commands | meaning |\n| --- | --- | --- |\n";
#define NC_OPTION(field, type, fallback, flag, value, scope, help) \
  out += markdown_row(flag, value, scope, help);
#include "src/cli/options.def"
#undef NC_OPTION
  return out;
}

}  // namespace noclobber
