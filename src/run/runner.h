// Checks pieces of work on several threads. Outcomes are delivered in the order of the work.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/check/check.h"
#include "src/run/inputs.h"

namespace noclobber {

/// The result of one piece of work.
struct Outcome {
  Work::Kind kind = Work::Kind::check;
  std::string input;
  CheckRecord record;  // check, record
  Diagnostic fault;    // error, note
  std::vector<std::string> unchecked;
  std::size_t skipped = 0;  // note: files without a known format
  double seconds = 0;       // of the check alone
  bool contradiction = false;
  std::optional<Diagnostic> unwritten;  // check: the fault of a certificate or question that is lost
};

struct RunnerOptions {
  CheckOptions check;
  std::uint64_t jobs = 0;             // 0: one per core
  bool progress_on_terminal = false;  // true: redraw one line; false: print a line every 30 s
  bool quiet = false;                 // no progress
};

/// Calls `sink` once per piece of work, in order, one call at a time. Returns false after an interrupt: the
/// outcomes that were ready have been delivered, threads may still run, and the caller must leave with
/// std::_Exit.
bool run_all(WorkSource& source, const RunnerOptions& options, const std::function<void(Outcome&&)>& sink);

/// From now on SIGINT stops run_all(); a second one ends the process.
void watch_interrupts();

}  // namespace noclobber
