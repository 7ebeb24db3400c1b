// Checks pieces of work on several threads; outcomes come in the order of the work, whatever the threads do.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/check/check.h"
#include "src/run/inputs.h"

namespace noclobber {

/// What became of one piece of work.
struct Outcome {
  Work::Kind kind = Work::Kind::check;
  std::string input;
  CheckRecord record;  // check, record
  Diagnostic fault;    // error, note
  std::vector<std::string> unchecked;
  std::size_t skipped = 0;  // note: files that are nothing that is read
  double seconds = 0;       // of the check alone
  bool contradiction = false;
};

struct RunnerOptions {
  CheckOptions check;
  std::uint64_t jobs = 0;             // 0: one per core
  bool progress_on_terminal = false;  // redraw one line of standard error; else a line every 30 s
  bool quiet = false;                 // no progress at all
};

/// Calls `sink` once per piece of work, in order, one call at a time.
/// Returns false after an interrupt: then the outcomes that were ready have been handed over, threads may
/// still run, and the caller must leave with std::_Exit.
bool run_all(WorkSource& source, const RunnerOptions& options, const std::function<void(Outcome&&)>& sink);

/// From now on Ctrl-C asks run_all to stop; a second one ends the process.
void watch_interrupts();

}  // namespace noclobber
