// The comparison of two runs: what a change introduced, fixed or left as it was.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "src/report/report.h"

namespace noclobber {

/// One difference between the runs, or one thing that is in both. The pointers are into the compared reports.
struct Change {
  enum class Kind : std::uint8_t { introduced, fixed, preexisting, newly_unknown, newly_proved, vanished };
  Kind kind;
  const CheckRecord* check;  // fixed, vanished: of the old run; else of the new run
  const Finding* finding =
      nullptr;  // introduced, fixed, preexisting; nullptr: the check is refuted without a finding
  const Unknown* unknown = nullptr;  // newly_unknown; nullptr: the check is unknown without a reason
};

/// The difference of two multisets. Findings and reasons for unknown are equal if their fingerprints are: if
/// the old run has m of them and the new run n > m, n - m are introduced. Items are paired in the order of
/// these criteria: a check of the same input, of an input with the same file name, of the same id, any other.
/// The unpaired ones are introduced or fixed. Consequences (`follows`) count with their cause. Checks are
/// equal if id and `what` agree: if the old run has m and the new run n < m, m - n vanished.
struct Comparison {
  std::vector<Change> changes;  // grouped by kind, each group in the order of the reports
  std::size_t count(Change::Kind kind) const;
  /// The number of changes of that kind whose finding or reason no baseline accepts.
  std::size_t unaccepted(Change::Kind kind) const;
};

Comparison compare(const Report& old, const Report& now);

/// Sets `change` of all causes and reasons for unknown in `now`, into which `difference` must point.
void mark(Report& now, const Comparison& difference);

/// The changes that make the exit code of a comparison nonzero; each enumerator includes those before it.
enum class FailOnChange : std::uint8_t { none, introduced, unknown, vanished };

/// The first that applies: 4 contradiction, 1 introduced, 2 an error or nothing checked, 3 newly unknown or
/// vanished, 0. Findings and reasons that a baseline accepts do not count.
int exit_code(const Comparison& difference, const SummaryRecord& now, bool contradiction,
              FailOnChange fail_on);

/// "newly_unknown"
std::string_view change_name(Change::Kind kind);
/// A `change` record, one line without a newline.
std::string to_json(const Change& change);
/// The `diff` record.
std::string to_json(const Comparison& difference, int exit);

/// For a reviewer: introduced findings in full unless accepted, a line each for the first newly unknown and
/// vanished, and all counts. With `list` every change has a line. The last line has no newline.
std::string to_text(const Comparison& difference, bool list, const Look& look);

}  // namespace noclobber
