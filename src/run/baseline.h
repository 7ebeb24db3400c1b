// What is known and accepted for now: a file that people complete, and that every run counts.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/report/report.h"

namespace noclobber {

/// A baseline for the findings and reasons for unknown of a report; reason, owner and date are to be filled
/// in, but for what an older baseline says of them.
std::string baseline_of(const Report& report);

class Baseline {
 public:
  /// error: `where` is "line N". Refused are unknown keys, and entries without reason, owner or date.
  static Result<Baseline> read(std::string_view text, const std::string& today);

  /// Marks what is accepted: of each fingerprint as many as the entry says, until the day it expires.
  void mark(CheckRecord& record);

  /// An entry that has expired and would have accepted something, and one that is not needed any more.
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
