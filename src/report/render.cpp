// Functions that the renderers share.
#include "src/report/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/report/names.h"

namespace noclobber {

bool is_news(const Finding& finding) {
  return is_cause(finding) && !finding.accepted && finding.change != "preexisting";
}

bool is_news(const Unknown& unknown) { return !unknown.accepted && unknown.change != "preexisting"; }

bool is_news(const CheckRecord& record) {
  const auto told = [](const auto& items) {
    return std::ranges::any_of(items, [](const auto& item) { return is_news(item); });
  };
  if (record.status == Status::refuted) return record.findings.empty() || told(record.findings);
  return record.status == Status::unknown && (record.unknown.empty() || told(record.unknown));
}

std::string shown_path(const Report& report, std::string path) {
  const std::string below = report.root + "/";
  if (!report.root.empty() && path.size() > below.size() && path.starts_with(below))
    path.erase(0, below.size());
  while (path.starts_with("./")) path.erase(0, 2);
  return path;
}

SourceLine source_of(const Report& report, const FindingPlace& place) {
  auto [file, line] = file_and_line(place.loc);
  file = shown_path(report, std::move(file));
  return file.empty() || line <= 0 ? SourceLine() : SourceLine{std::move(file), line};
}

SourceLine source_of(const Report& report, const CheckRecord& record, const Finding& finding) {
  for (const auto* place : {&finding.define, &finding.before, &finding.read, &finding.clobber}) {
    if (!*place) continue;
    if (SourceLine found = source_of(report, **place); found.line > 0) return found;
  }
  return {shown_path(report, record.input), 0};
}

Tally tally_of(const Report& report) {
  Tally out;
  for (const CheckRecord& record : report.checks) {
    ++out.checks;
    out.proved += record.status == Status::proved ? 1 : 0;
    out.refuted += record.status == Status::refuted ? 1 : 0;
    out.unknown += record.status == Status::unknown ? 1 : 0;
    for (const Finding& finding : record.findings) {
      if (!is_cause(finding)) continue;
      out.accepted += finding.accepted ? 1 : 0;
      out.preexisting += !finding.accepted && finding.change == "preexisting" ? 1 : 0;
    }
  }
  return out;
}

std::string unknown_text(const Unknown& unknown) {
  constexpr std::size_t kShown = 8, kColumns = 120;
  std::vector<std::string> names;
  for (const std::string& name : unknown.names) names.push_back(shortened(printable(name), kColumns));
  return printable(unknown.reason) + (names.empty() ? "" : ": " + some_of(names, kShown));
}

}  // namespace noclobber
