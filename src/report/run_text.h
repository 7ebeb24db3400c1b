// What a whole run says on the terminal: findings by cause, unknowns by reason, one line at the end.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/report/record.h"

namespace noclobber {

/// Findings with one fingerprint in several checks have one cause: the first is told in full, the others are
/// counted. What follows from another is told with that.
struct Cause {
  const CheckRecord* record;
  const Finding* finding;
  std::vector<std::string> also;  // names of other checks
};
/// Of all refuted findings, in order. The pointers are into `checks`.
std::vector<Cause> causes_of(const std::vector<CheckRecord>& checks);

/// One reason for unknown: how often each name was involved, and in which checks.
struct Reason {
  std::map<std::string, std::uint64_t> names;
  std::vector<std::string> checks;
};
/// By code, of checks that are unknown.
std::map<std::string, Reason> reasons_of(const std::vector<CheckRecord>& checks);

/// "logs/x.log [0/0] post-grad"
std::string check_name(const CheckRecord& record);

/// Grows record by record; only what the text needs is kept.
struct RunSummary {
  SummaryRecord totals;                        // `exit` is set by the caller
  std::map<std::string, std::uint64_t> whats;  // checks by `what`
  std::map<std::string, std::uint64_t> links;  // of logs: how often each link of the chain was judged
  CheckRecord::Counts counts;
  std::set<std::string> unchecked;
  std::uint64_t with_assumptions = 0;                  // proved checks that rest on one
  std::map<std::string, std::uint64_t> assumptions;    // by sentence, of how many proved checks
  std::vector<CheckRecord> refuted, unknown;           // in order
  std::map<std::string, BarrierLint> barriers;         // by input, of its last graph
  std::map<std::string, std::uint64_t> orders;         // checks by their claim about every order
  std::map<std::string, std::uint64_t> behind_return;  // by write that nobody sees, in how many checks
  std::map<std::string, std::uint64_t> dead;           // by instruction whose result nobody reads, the same
  std::vector<std::pair<std::string, InplaceLint>> inplace;  // by check
  bool keep_records = true;                                  // false: only counters are needed
  bool interrupted = false;

  void add(CheckRecord&& record);
};

/// What a run over the same records would say.
RunSummary counted_again(const struct Report& report);

/// Where the time of a run is not known.
inline constexpr double kNoTime = -1;

/// `seconds`: wall time of the run, or kNoTime.
std::string to_text(const RunSummary& summary, double seconds, const Look& look);

}  // namespace noclobber
