// Reports in the formats of other programs. Tests validate them against the schemas of those programs. Equal
// reports give equal bytes.
#pragma once
#include <cstddef>
#include <string>

#include "src/report/report.h"

namespace noclobber {

/// SARIF 2.1.0 (sarif.cpp): a result for each cause, with its code flow. Results that a baseline accepts are
/// suppressed. After a comparison each result has a baselineState.
std::string to_sarif(const Report& report);

/// JUnit XML (junit.cpp): a suite for each input, a test for each check; unknown ones are skipped, inputs
/// that could not be read are errors.
std::string to_junit(const Report& report);

/// Workflow commands of GitHub Actions that annotate a change (github.cpp). At most ten errors and ten
/// warnings, as GitHub shows no more for one step; the last then counts those that were left out.
std::string to_github(const Report& report);

/// GitLab's code quality report (gitlab.cpp).
std::string to_gitlab(const Report& report);

/// For a job summary or a comment (markdown.cpp), at most `most` bytes. If `most` is 400 or less, only the
/// line that counts what was left out.
std::string to_markdown(const Report& report, std::size_t most);
inline constexpr std::size_t kJobSummaryBytes = std::size_t{1} << 20;

/// True if it is reported: a cause that no baseline accepts and that, if runs are compared, is introduced.
bool is_news(const Finding& finding);
bool is_news(const Unknown& unknown);
/// True if the check is refuted or unknown and has a finding or reason that is news, or none at all.
bool is_news(const CheckRecord& record);

/// A line of the user's program, or the input as a whole (line 0).
struct SourceLine {
  std::string file;
  int line = 0;
};
SourceLine source_of(const Report& report, const CheckRecord& record, const Finding& finding);
/// The line of one place; line 0 and no file if it has none.
SourceLine source_of(const Report& report, const FindingPlace& place);
/// The path relative to the root of the report if it is below it, without a leading "./".
std::string shown_path(const Report& report, std::string path);

/// Numbers of checks by status, and of causes that are not reported.
struct Tally {
  std::size_t checks = 0, proved = 0, refuted = 0, unknown = 0;
  std::size_t accepted = 0, preexisting = 0;  // causes; an accepted one is not counted as preexisting
};
Tally tally_of(const Report& report);

/// "unsupported-op: mylib.foo.default, ... and 3 more"
std::string unknown_text(const Unknown& unknown);

}  // namespace noclobber
