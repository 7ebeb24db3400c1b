#include "src/run/options.h"

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

std::string markdown_row(std::string_view flag, std::string value, const std::string& commands,
                         std::string help) {
  const std::string gap = value.empty() ? "" : " ";
  return fmt::format("| `{}{}{}` | {} | {} |\n", flag, gap, escaped_bars(std::move(value)), commands,
                     escaped_bars(std::move(help)));
}

std::string commands_of(unsigned scope) {
  std::string out;
  const auto add = [&](bool has, const char* commands) {
    if (has) out += (out.empty() ? "" : ", ") + std::string(commands);
  };
  add((scope & option_scope::checks) != 0, "check, compare");
  add((scope & 2U) != 0, "trace");
  add((scope & option_scope::fuzzing) != 0, "fuzz");
  add((scope & option_scope::reducing) != 0, "reduce");
  add((scope & option_scope::rendering) != 0, "render");
  add((scope & option_scope::extracting) != 0, "extract");
  add((scope & option_scope::replaying) != 0, "replay");
  add((scope & option_scope::launching) != 0, "run");
  add((scope & option_scope::asking) != 0, "ops");
  add((scope & option_scope::advising) != 0, "advise");
  return out;
}

}  // namespace

std::span<const OptionLine> option_lines() {
  using namespace option_scope;
  static const std::vector<OptionLine> all = {
#define NC_OPTION(field, type, fallback, flag, value, scope, help) {flag, value, help, scope},
#include "src/run/options.def"
#undef NC_OPTION
  };
  return all;
}

std::string options_markdown() {
  std::string out =
      "# Options\n\nMade by `noclobber --print-options-md` from `src/run/options.def`; do not edit.\n\n"
      "| option | commands | meaning |\n| --- | --- | --- |\n";
  for (const OptionLine& line : option_lines())
    out += markdown_row(line.flag, std::string(line.value), commands_of(line.scope), std::string(line.help));
  return out;
}

}  // namespace noclobber
