// The way of one Case through the program.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "src/graph/case.h"
#include "src/report/record.h"

namespace noclobber {

struct CheckOptions {
  bool solver_only = false;  // --engine z3
  std::uint64_t effort = 0;  // --effort: rlimit per query; 0 = the default
  std::string certificates;  // --certificate DIR; "" = none
  std::string questions;     // --dump-smt2 DIR; "" = none
  std::string rechecker;     // --recheck: the program nc-recheck; "" = not asked
  std::string reading;       // of wrapped operators: "", "-reading-2", ...
  std::string certificate_name = "check";
  std::vector<std::string> files;  // what the check was read from
  bool no_assumptions = false;
  bool strict = false;  // --strict: see be_strict()
  bool advise = false;  // what else could run in place, which takes a check of each
  enum class Runs : std::uint8_t { automatic, always, never } run = Runs::automatic;  // what is proved: --run
  std::vector<OpDecl> extra_ops;                                                      // --ops FILE
};

/// Checks one Case. The caller fills in `input`, `id`, `what` and `unchecked` of the record.
/// `contradiction` is set if the interpreter contradicts something that was proved.
CheckRecord check_case(Case value, const CheckOptions& options, bool& contradiction);

/// Completes a Case as it was read: operators of the options, loops of a plan, what the return means.
void prepare_case(Case& value, const CheckOptions& options);

/// A run to be made: sizes and contents. Without a seed nothing is run but what is placed is looked at.
struct WitnessRun {
  std::map<std::string, std::int64_t> symbols;
  std::optional<std::uint64_t> seed;
};

/// Makes one run of a Case and says what it shows; nothing is searched for and nothing proved.
CheckRecord replay_case(Case value, const CheckOptions& options, const WitnessRun& run);

/// The Trace of a Case as text (`noclobber trace`).
std::string trace_text(Case value, const CheckOptions& options);

}  // namespace noclobber
