// One search for a witness: what it works on and what it has found.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/interp/replay_cause.h"
#include "src/interp/replay_order.h"
#include "src/interp/replay_search.h"

namespace noclobber {

/// Bounds of one search: repaired variants per explanation, orders per trial.
inline constexpr int kVariantRuns = 96;
inline constexpr std::size_t kMostWitnesses = 64;
inline constexpr std::size_t kMostOrders = 48;
inline constexpr std::size_t kMostTrials = 48;

struct Session {
  const Case& value;
  const ReplayHint& hint;
  OpSet ops;
  std::set<std::string> may_write;    // inputs `after` may store into
  std::set<std::string> free_inputs;  // inputs whose contents at exit may be anything
  ReplayResult result;
  std::int64_t work_left = hint.work;
  std::set<Target> settled;  // value differences there were explained in an earlier run

  Session(const Case& checked, const ReplayHint& known, OpSet known_ops)
      : value(checked), hint(known), ops(std::move(known_ops)) {}
  /// One run. Nothing: the sizes are not legal, or an operator is not known (then noted in `result`).
  std::optional<Run> run(const Graph& graph, const RunOptions& options);
  bool found(const std::string& rule) const;
  /// Its fault is known already.
  bool knows(const Witness& witness) const;
  /// Completes a witness with the run's symbols, inputs and place, unless its fault is known already. Returns
  /// its place among the witnesses. `follows`: that of its cause, where that was shown.
  std::size_t add(Witness witness, const Scene& scene, const Difference& difference,
                  std::size_t follows = Witness::kItself);
};

/// How many trials a graph of this cost can have.
std::size_t affordable_trials(const Graph& graph, const Run& run);
/// Something in the graph makes storage that nothing has written.
bool may_be_undefined(const Case& value, const Graph& graph);
/// Turns what one run shows into witnesses. Value differences that the guard doubts are noted as
/// approximated. False: nothing differs for sure.
bool explain(Session& session, const Scene& scene, std::vector<Difference> found, const Guard* guard);
/// The first result that is of another dtype than `after` says, where all that `before` says is so.
void explain_told(Session& session, const Scene& scene);
/// Short descriptions of the contents of inputs at entry.
std::vector<std::pair<std::string, std::string>> describe_inputs(const Case& value,
                                                                 const RunOptions& options);

/// Witnesses of a step that raises, and of those behind it that would.
void explain_raised(Session& session, const Scene& scene, const Difference& difference);

/// Outputs, or inputs whose contents the signature tells, that are given each other's values: putting them
/// back repairs `after`.
struct Exchange {
  Witness witness;
  std::set<Target> places;
};
/// Receivers that are given the value of another.
struct Mistakes {
  std::vector<Exchange> exchanges;
  std::map<Target, Witness> others;  // one shows what another shows or was to show
};
Mistakes mistaken_outputs(const Scene& scene);
/// More or fewer outputs than before: which.
Witness number_of_outputs(const Scene& scene, const Difference& difference);

/// Two witnesses with one key show one fault.
std::string fault_key(const Witness& witness);
/// Puts witnesses of one cause together, the one that names it first, and says which follow from it.
void join_causes(const Graph& after, std::vector<Witness>& witnesses);

/// Contents of small inputs at entry, in numbers.
std::vector<InputNumbers> input_numbers(const Case& value, const RunOptions& options);
/// What happens in the scene's run to the storages that the witness names.
std::vector<StorageLane> lanes_of(const Scene& scene, const Witness& witness);
/// The steps of bodies that are at fault, where a step that the witness names runs bodies.
std::vector<InnerPlace> steps_inside(const Scene& scene, const Witness& witness);

/// The hazard that running `swap.second` before `swap.first` showed.
Witness order_witness(const Scene& scene, const Swap& swap, const Difference& difference);

void replay_pair(Session& session);
void replay_single(Session& session);
void replay_return(Session& session);

}  // namespace noclobber
