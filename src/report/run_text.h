// The text of a whole run on a terminal: findings by cause, unknowns by reason, a summary at the end.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/report/record.h"

namespace noclobber {

/// Findings with one fingerprint in several checks have one cause: the first is shown in full, the others are
/// listed in `also`. Consequences are shown with their cause.
struct Cause {
  const CheckRecord* record;
  const Finding* finding;
  std::vector<std::string> also;  // names of other checks
};
/// The causes of all refuted findings that no baseline accepts, in order. The pointers are into `checks`.
std::vector<Cause> causes_of(const std::vector<CheckRecord>& checks);

/// One reason for unknown: how often it has each name, and the checks that have it.
struct Reason {
  std::map<std::string, std::uint64_t> names;
  std::vector<std::string> checks;
};
/// By code. require: every check is unknown.
std::map<std::string, Reason> reasons_of(const std::vector<CheckRecord>& checks);

/// "logs/x.log [0/0] post-grad"
std::string check_name(const CheckRecord& record);

/// Behind the input in RunSummary::barriers: those of its backward graph. No path ends so.
inline constexpr const char* kBackward = "\nbw";

/// The data of the text, accumulated record by record.
struct RunSummary {
  SummaryRecord totals;                        // `exit` is set by the caller
  std::map<std::string, std::uint64_t> whats;  // checks by `what`
  std::map<std::string, std::uint64_t> links;  // checks of logs by link_of()
  CheckRecord::Counts counts;
  std::set<std::string> unchecked;
  std::uint64_t with_assumptions = 0;                // proved checks that rest on an assumption
  std::map<std::string, std::uint64_t> assumptions;  // proved checks by the sentence of the assumption
  std::vector<CheckRecord> refuted, unknown;         // in order
  std::map<std::string, BarrierLint> barriers;       // by input: that of its last graph
  std::map<std::string, std::uint64_t> orders;  // checks by `every_order`; "return": only it may not move
  std::map<std::string, std::uint64_t> behind_return;        // checks by the write after the return
  std::map<std::string, std::uint64_t> dead;                 // checks by the instruction without a reader
  std::vector<std::pair<std::string, InplaceLint>> inplace;  // by check
  bool keep_records = true;  // false: `refuted`, `unknown` and `inplace` stay empty
  bool interrupted = false;

  void add(CheckRecord&& record);
};

/// The summary of a run with the records of `report`.
RunSummary counted_again(const struct Report& report);

/// The time of a run that is not known.
inline constexpr double kNoTime = -1;

/// `seconds`: wall time of the run, or kNoTime.
std::string to_text(const RunSummary& summary, double seconds, const Look& look);

}  // namespace noclobber
