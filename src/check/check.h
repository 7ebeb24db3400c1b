// The entry points of the checker: from one Case to its record.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "src/base/result.h"
#include "src/graph/case.h"
#include "src/report/record.h"

namespace noclobber {

struct CheckOptions {
  bool solver_only = false;  // --engine z3
  std::uint64_t effort = 0;  // --effort: rlimit per query; 0 = the default
  std::string certificates;  // --certificate DIR; "" = none
  std::string questions;     // --dump-smt2 DIR; "" = none
  std::string rechecker;     // --recheck: the program nc-recheck; "" = not asked
  std::string reading;       // which reading of wrapped operators: "", "-reading-2", ...
  std::string certificate_name = "check";
  std::vector<std::string> files;  // what the check was read from
  bool no_assumptions = false;
  bool strict = false;  // --strict: see be_strict()
  bool advise = false;  // also report what else could run in place: a check of each
  enum class Runs : std::uint8_t { automatic, always, never } run = Runs::automatic;  // --run: runs proofs
  std::vector<OpDecl> extra_ops;                                                      // --ops FILE
  std::optional<Diagnostic>* unwritten = nullptr;  // gets the fault of a file that cannot be written
};

/// Checks one Case. The caller fills in `input`, `id`, `what` and `unchecked` of the record. Sets
/// `contradiction` if the interpreter contradicts something that was proved.
CheckRecord check_case(Case value, const CheckOptions& options, bool& contradiction);

/// Completes a Case as it was read: adds the operators of the options, writes out the loops of a plan,
/// rewrites steps into forms that have rules, and collects assumptions.
void prepare_case(Case& value, const CheckOptions& options);

/// A run to be made: sizes and contents. Without a seed nothing is run, and only placements and transfers are
/// examined.
struct WitnessRun {
  std::map<std::string, std::int64_t> symbols;
  std::optional<std::uint64_t> seed;
};

/// Makes one run of a Case and reports its findings, without search and without proof.
CheckRecord replay_case(Case value, const CheckOptions& options, const WitnessRun& run);

/// The Trace of a Case as text (`noclobber trace`).
std::string trace_text(Case value, const CheckOptions& options);

}  // namespace noclobber
