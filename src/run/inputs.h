// The pieces of work in the files and directories of the command line.
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/graph/case.h"
#include "src/inputs/format.h"
#include "src/lower/checks.h"
#include "src/report/record.h"
#include "src/run/folders.h"
#include "src/run/id_filter.h"

namespace noclobber {

/// A Case or a plan table to check, a finished record, an unreadable input, or a remark about an input.
struct Work {
  enum class Kind : std::uint8_t { check, plan, record, error, note };
  Kind kind = Kind::check;
  std::string input;
  std::string id, what;                // check
  std::vector<std::string> files;      // check: the files it was read from; empty: `input`
  Case value;                          // check
  std::shared_ptr<TraceCheck> unread;  // check: the source of `value`, until open() reads it
  std::optional<bool> dataflow;        // check: replaces the order claim of the Case
  std::uint64_t alike = 0;             // check: as in TraceCheck
  PlanTable table, instance;           // plan; `instance` has no rows if none is given
  std::int64_t capacity = 0;           // plan: bytes; 0: unlimited
  CheckRecord record;                  // record
  Diagnostic fault;                    // error, note
  std::vector<std::string> unchecked;  // check: of the check; note: of the whole log
  std::size_t skipped = 0;             // note: files of a directory without a known format

  /// Reads `value` from `unread`. A check that cannot be read becomes an error. Different pieces of work can
  /// be opened concurrently.
  void open();
};

struct InputOptions {
  IdFilter only;
  std::optional<bool> dataflow;  // --order
  std::int64_t capacity = 0;     // --capacity in bytes; 0: unlimited
  std::string instance;          // --instance: a file
  bool records = false;          // true: a file of records is read as the run that wrote it
};

/// The check of a Case. Its id is the name of the Case, or else the stem of `input`.
Work check_of(const std::string& input, Case value, std::string what);
Work error_of(const std::string& input, Diagnostic fault);
/// Reads inputs lazily. Not thread-safe.
class WorkSource {
 public:
  WorkSource(std::vector<std::string> inputs, InputOptions options);
  explicit WorkSource(std::deque<Work> ready) : ready_(std::move(ready)) {}
  /// The next piece of work, in the order of the command line; empty at the end.
  std::optional<Work> next();
  /// Makes next() return empty from now on. Can be called from any thread.
  void stop() { stopped_ = true; }

 private:
  Work plan_of(const std::string& path, PlanTable table) const;
  Work work_of(const std::string& path, FileCheck check) const;
  void load(const std::string& path, Opened opened);
  void load(const FoundInput& found);
  void load_file(const std::string& path);
  void load_records(const std::string& path, const std::string& text);
  void open(const std::string& input);
  void push(Work work);

  std::deque<std::string> inputs_;  // as given
  std::deque<FoundInput> files_;    // the files left of the current input
  std::deque<Work> ready_;
  InputOptions options_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace noclobber
