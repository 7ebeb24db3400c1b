// Files and directories on the command line, one thing to check after the other.
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

/// A Case or a plan table to check, a record that is ready, an input that could not be read, or a remark
/// about one.
struct Work {
  enum class Kind : std::uint8_t { check, plan, record, error, note };
  Kind kind = Kind::check;
  std::string input;
  std::string id, what;                // check
  std::vector<std::string> files;      // check: what it was read from; empty: `input`
  Case value;                          // check
  std::shared_ptr<TraceCheck> unread;  // check: what `value` is still to be read from
  std::optional<bool> dataflow;        // check: the order that is asked for, instead of the Case's
  std::uint64_t alike = 0;             // check: as in TraceCheck
  PlanTable table, instance;           // plan; an instance without rows: none is given
  std::int64_t capacity = 0;           // plan: bytes; 0: not limited
  CheckRecord record;                  // record
  Diagnostic fault;                    // error, note
  std::vector<std::string> unchecked;  // of the check; of the whole log in a note
  std::size_t skipped = 0;             // note: files of a directory that are nothing that is read

  /// Reads `value` if that is still to be done; what cannot be read becomes an error. Pieces of work can be
  /// opened at the same time.
  void open();
};

struct InputOptions {
  IdFilter only;
  std::optional<bool> dataflow;  // --order
  std::int64_t capacity = 0;     // --capacity; 0: not limited
  std::string instance;          // --instance: a file
  bool records = false;          // a file of records stands for the run that wrote it
};

/// The Case of one input and how it is called.
Work check_of(const std::string& input, Case value, std::string what);
Work error_of(const std::string& input, Diagnostic fault);
/// Reads inputs when they are asked for. Not thread-safe.
class WorkSource {
 public:
  WorkSource(std::vector<std::string> inputs, InputOptions options);
  explicit WorkSource(std::deque<Work> ready) : ready_(std::move(ready)) {}
  /// The next piece of work, in the order of the command line; nothing at the end.
  std::optional<Work> next();
  /// From now on next() has nothing more. Can be called from any thread.
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
  std::deque<FoundInput> files_;    // of the input that is being read
  std::deque<Work> ready_;
  InputOptions options_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace noclobber
