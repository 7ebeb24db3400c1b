// Two runs compared: what a change brought, not what there is.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "src/report/report.h"

namespace noclobber {

/// One thing that differs, or stayed. What it points at belongs to the reports that were compared.
struct Change {
  enum class Kind : std::uint8_t { introduced, fixed, preexisting, newly_unknown, newly_proved, vanished };
  Kind kind;
  const CheckRecord* check;  // of the old run where it is gone, else of the new one
  const Finding* finding =
      nullptr;  // introduced, fixed, preexisting; nullptr: the check is refuted and names none
  const Unknown* unknown = nullptr;  // newly_unknown; nullptr: the check is unknown and names no reason
};

/// Everything is counted as in a multiset. Findings and reasons for unknown are one if they have one
/// fingerprint: of m that were there and n that are there now n - m are introduced, where n is larger. Which
/// ones is decided by where they are: those in a check of the same input, of an input of the same name, of
/// the same id stay before others. Consequences (`follows`) count with their cause. Checks are one if id and
/// `what` agree: of those, m - n vanished, where m is larger.
struct Comparison {
  std::vector<Change> changes;  // by kind, in the order of the reports
  std::size_t count(Change::Kind kind) const;
  /// Of the introduced findings and new reasons for unknown: those that no baseline accepts.
  std::size_t unaccepted(Change::Kind kind) const;
};

Comparison compare(const Report& old, const Report& now);

/// Writes into `now` what the comparison says of its findings and reasons for unknown.
void mark(Report& now, const Comparison& difference);

/// What makes the exit code of a comparison differ from 0, each with those before it.
enum class FailOnChange : std::uint8_t { none, introduced, unknown, vanished };

/// 4 contradiction, 1 introduced, 2 something could not be read or nothing was checked, 3 newly unknown or
/// vanished.
int exit_code(const Comparison& difference, const SummaryRecord& now, bool contradiction,
              FailOnChange fail_on);

/// "newly_unknown"
std::string_view change_name(Change::Kind kind);
/// A `change` record, one line without a newline.
std::string to_json(const Change& change);
/// The `diff` record.
std::string to_json(const Comparison& difference, int exit);

/// For a reviewer: introduced findings in full, what fails the gate by name, the rest as counts; with `list`
/// a line for each of the rest. The last line has no newline.
std::string to_text(const Comparison& difference, bool list, const Look& look);

}  // namespace noclobber
