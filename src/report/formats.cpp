// The table of output formats, and the two formats that need no file of their own.
#include <algorithm>

#include "src/report/names.h"
#include "src/report/page.h"
#include "src/report/render.h"
#include "src/report/report.h"
#include "src/report/run_text.h"

namespace noclobber {

namespace {

std::string error_line(const ErrorRecord& error) {
  std::string out = "error: ";
  for (const std::string& part : {error.input, error.where})
    if (!part.empty()) out += printable(part) + ": ";
  return out + printable(error.message) + "\n";
}

}  // namespace

RunSummary counted_again(const Report& report) {
  RunSummary out;
  for (const CheckRecord& record : report.checks) out.add(CheckRecord(record));
  out.totals.error += report.errors.size();
  if (report.summary) out.totals.skipped = report.summary->skipped;
  return out;
}

std::string to_text(const Report& report, const Look& look) {
  std::string out;
  for (const ErrorRecord& error : report.errors) out += error_line(error);
  return out + to_text(counted_again(report), kNoTime, look);
}

std::string to_jsonl(const Report& report) {
  std::string out;
  std::size_t error = 0;
  const auto errors_up_to = [&](std::size_t checks) {
    for (; error < report.errors.size() && report.errors_after[error] <= checks; ++error)
      out += to_json(report.errors[error]) + "\n";
  };
  for (std::size_t k = 0; k < report.checks.size(); ++k) {
    errors_up_to(k);
    out += to_json(report.checks[k]) + "\n";
  }
  errors_up_to(report.checks.size());
  if (report.summary) out += to_json(*report.summary) + "\n";
  return out;
}

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {"text", "as a terminal has it", [](const Report& report) { return to_text(report, Look()); }},
      {"records", "JSON Lines", to_jsonl},
      {"sarif", "SARIF 2.1.0", to_sarif},
      {"junit", "JUnit XML", to_junit},
      {"github", "annotations of GitHub Actions", to_github},
      {"gitlab", "GitLab's code quality report", to_gitlab},
      {"markdown", "for a job summary or a comment",
       [](const Report& report) { return to_markdown(report, kJobSummaryBytes); }},
      {"html", "one page that needs nothing else, with pictures", to_html},
  };
  return all;
}

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &Format::name);
  return found == formats().end() ? nullptr : &*found;
}

}  // namespace noclobber
