// Annotations of GitHub Actions.
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "src/report/names.h"
#include "src/report/render.h"
#include "src/report/rules.h"

namespace noclobber {

namespace {

constexpr std::size_t kMostLines = 10;  // annotations of one kind that GitHub shows for a step

/// Escapes as actions/toolkit does. In a property the separators ':' and ',' are escaped too.
std::string command_escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string command(const char* kind, const SourceLine& source, const std::string& title,
                    const std::string& text) {
  std::string out = fmt::format("::{} ", kind);
  if (source.line > 0)
    out += fmt::format("file={},line={},", command_escaped(printable(source.file), true), source.line);
  return out +
         fmt::format("title={}::{}\n", command_escaped(printable(title), true), command_escaped(text, false));
}

std::string finding_command(const Report& report, const CheckRecord& record, const Finding& finding) {
  const Rule* rule = find_rule(finding.rule);
  const std::string title =
      fmt::format("{} {}", finding.rule, rule == nullptr ? finding.property : std::string(rule->title));
  std::string text =
      fmt::format("{}\n{} {}", printable(finding.message), printable(record.input), shown_id(record.id));
  int number = 0;
  for (const auto* place : {&finding.define, &finding.clobber, &finding.read})
    if (*place)
      text +=
          fmt::format("\n{}. {}  {}", ++number, printable((*place)->statement), printable((*place)->note));
  if (!finding.help.empty()) text += "\nhelp: " + printable(finding.help);
  return command("error", source_of(report, record, finding), title, text);
}

std::string limited(const char* kind, const std::vector<std::string>& lines) {
  std::string out;
  const bool all = lines.size() <= kMostLines;
  for (std::size_t k = 0; k < (all ? lines.size() : kMostLines - 1); ++k) out += lines[k];
  if (!all) out += command(kind, {}, "noclobber", fmt::format("and {} more", lines.size() - kMostLines + 1));
  return out;
}

}  // namespace

std::string to_github(const Report& report) {
  std::vector<std::string> errors, warnings;
  for (const CheckRecord& record : report.checks) {
    for (const Finding& finding : record.findings)
      if (is_news(finding)) errors.push_back(finding_command(report, record, finding));
    if (record.status == Status::refuted && record.findings.empty())
      errors.push_back(command("error", {}, "refuted", printable(record.input) + " " + shown_id(record.id)));
    if (record.status != Status::unknown || !is_news(record)) continue;
    std::string text = fmt::format("{} {}", printable(record.input), shown_id(record.id));
    for (const Unknown& unknown : record.unknown)
      if (is_news(unknown)) text += "\n" + unknown_text(unknown);
    warnings.push_back(command("warning", {}, "not proved", text));
  }
  for (const ErrorRecord& error : report.errors) {
    const std::string where = error.where.empty() ? "" : printable(error.where) + ": ";
    errors.push_back(command("error", {}, printable(error.input), where + printable(error.message)));
  }
  return limited("error", errors) + limited("warning", warnings);
}

}  // namespace noclobber
