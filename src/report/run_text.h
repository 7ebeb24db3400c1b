// What a whole run says on the terminal: findings by cause, unknowns by reason, one line at the end.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/report/record.h"

namespace noclobber {

/// Grows record by record; only what the text needs is kept.
struct RunSummary {
  SummaryRecord totals;                        // `exit` is set by the caller
  std::map<std::string, std::uint64_t> whats;  // checks by `what`
  CheckRecord::Counts counts;
  std::set<std::string> unchecked;
  std::uint64_t with_assumptions = 0;                        // proved checks that rest on one
  std::map<std::string, std::uint64_t> assumptions;          // by sentence, of how many proved checks
  std::vector<CheckRecord> refuted, unknown;                 // in order
  std::map<std::string, BarrierLint> barriers;               // by input, of its last graph
  std::vector<std::pair<std::string, InplaceLint>> inplace;  // by check
  bool keep_records = true;                                  // false: only counters are needed
  bool interrupted = false;

  void add(CheckRecord&& record);
};

/// Where the time of a run is not known.
inline constexpr double kNoTime = -1;

/// `seconds`: wall time of the run, or kNoTime.
std::string to_text(const RunSummary& summary, double seconds, const Look& look);

}  // namespace noclobber
