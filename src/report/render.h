// Reports for other programs, each as its consumer reads it; tests hold them against the consumers' schemas.
// Equal reports give equal bytes.
#pragma once
#include <cstddef>
#include <string>

#include "src/report/report.h"

namespace noclobber {

/// SARIF 2.1.0 (sarif.cpp): a result for each cause, with its code flow. What a baseline accepts is
/// suppressed, and of a comparison every result says whether it is new.
std::string to_sarif(const Report& report);

/// JUnit XML (junit.cpp): a suite for each input, a test for each check; unknown ones are skipped, inputs
/// that could not be read are errors.
std::string to_junit(const Report& report);

/// Commands of GitHub Actions that annotate a change (github.cpp): at most ten errors and ten warnings, all
/// that one step shows; the last says how many there are more.
std::string to_github(const Report& report);

/// GitLab's code quality report (gitlab.cpp).
std::string to_gitlab(const Report& report);

/// For a job summary or a comment (markdown.cpp), at most `most` bytes.
std::string to_markdown(const Report& report, std::size_t most);
inline constexpr std::size_t kJobSummaryBytes = std::size_t{1} << 20;

/// Is it told: a cause that no baseline accepts, and, where runs are compared, an introduced one?
bool is_news(const Finding& finding);
bool is_news(const Unknown& unknown);
/// Checks that are refuted or unknown for something that is news, or for reasons that nobody gives.
bool is_news(const CheckRecord& record);

/// Where people look for it: a line of the user's program, or the input as a whole (line 0).
struct SourceLine {
  std::string file;
  int line = 0;
};
SourceLine source_of(const Report& report, const CheckRecord& record, const Finding& finding);
/// The same of one place; line 0 and no file where it has none.
SourceLine source_of(const Report& report, const FindingPlace& place);
/// From the root of the report, without "./".
std::string shown_path(const Report& report, std::string path);

/// "1 pair and 2 plans", "1 proved, 1 refuted, 0 unknown" of a report.
struct Tally {
  std::size_t checks = 0, proved = 0, refuted = 0, unknown = 0;
  std::size_t accepted = 0, preexisting = 0;  // findings that are not told
};
Tally tally_of(const Report& report);

/// "unsupported-op: mylib.foo.default, ... and 3 more"
std::string unknown_text(const Unknown& unknown);

}  // namespace noclobber
