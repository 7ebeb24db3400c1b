// Baselines: files that list findings and reasons for unknown that are accepted for a time.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/report/report.h"

namespace noclobber {

/// A baseline for the findings and reasons for unknown of a report. Reason, owner and date are empty, to be
/// filled in by hand, unless the report has them from an older baseline.
std::string baseline_of(const Report& report);

class Baseline {
 public:
  /// error: `where` is "line N". Rejects unknown keys, and entries without fingerprint, reason, owner or
  /// date. Entries whose date is before `today` have expired.
  static Result<Baseline> read(std::string_view text, const std::string& today);

  /// Sets `accepted` of findings and reasons: for each fingerprint up to the count of its entries that have
  /// not expired. Consequences get that of their cause.
  void mark(CheckRecord& record);

  /// A remark on an entry: it has expired and would have accepted something, or its count is too high.
  struct Remark {
    bool expired = false;
    std::string where, text;
  };
  std::vector<Remark> remarks() const;

 private:
  struct Entry {
    std::string fingerprint, what;
    Acceptance acceptance;
    std::uint64_t count = 1, met = 0;
    std::size_t line = 0;
    bool expired = false;
  };
  const Entry* take(const std::string& fingerprint);

  std::vector<Entry> entries_;
  std::map<std::string, std::vector<std::size_t>> by_fingerprint_;
};

/// "2026-11-25", in UTC.
std::string today();

}  // namespace noclobber
