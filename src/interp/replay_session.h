// The state of one search for a witness: its input and its findings.
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

/// Bounds of one search: variants per explanation, witnesses, orders per trial, trials.
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
  std::set<Target> settled;  // targets whose value differences were explained in an earlier run

  Session(const Case& checked, const ReplayHint& known, OpSet known_ops)
      : value(checked), hint(known), ops(std::move(known_ops)) {}
  /// Runs a graph within `work_left`. Empty if the sizes are not legal, a bound is reached, or an operator is
  /// not supported (then noted in `result`).
  std::optional<Run> run(const Graph& graph, const RunOptions& options);
  bool found(const std::string& rule) const;
  /// True if a witness of the same fault was added.
  bool knows(const Witness& witness) const;
  /// Completes a witness with the run's symbols, inputs and place and adds it, unless its fault is known
  /// already. Returns its index among the witnesses, or kItself if these are too many. `follows`: index of
  /// its cause, if found.
  std::size_t add(Witness witness, const Scene& scene, const Difference& difference,
                  std::size_t follows = Witness::kItself);
};

/// Number of trials that a graph of this cost may have, between 1 and kMostTrials.
std::size_t affordable_trials(const Graph& graph, const Run& run);
/// True if a step of the graph may create undefined bytes.
bool may_be_undefined(const Case& value, const Graph& graph);
/// Adds witnesses for the differences of one run. Differences that the guard doubts are noted as
/// approximated. False if no other is left.
bool explain(Session& session, const Scene& scene, std::vector<Difference> found, const Guard* guard);
/// Adds a witness for the first result whose dtype differs from its type in `after`, if in `before` none
/// does.
void explain_told(Session& session, const Scene& scene);
/// Short descriptions of the contents of inputs at entry.
std::vector<std::pair<std::string, std::string>> describe_inputs(const Case& value,
                                                                 const RunOptions& options);

/// Adds witnesses of the step that raises, and of later steps that would raise too.
void explain_raised(Session& session, const Scene& scene, const Difference& difference);

/// Outputs, or inputs with final contents in the signature, that receive each other's values. Exchanging them
/// back repairs `after`.
struct Exchange {
  Witness witness;
  std::set<Target> places;
};
/// Outputs and inputs as above that receive the value of another.
struct Mistakes {
  std::vector<Exchange> exchanges;
  std::map<Target, Witness> others;  // receives the value that another should have
};
Mistakes mistaken_outputs(const Scene& scene);
/// The witness of a different number of outputs; names the missing or additional ones.
Witness number_of_outputs(const Scene& scene, const Difference& difference);

/// Two witnesses with one key have the same fault.
std::string fault_key(const Witness& witness);
/// Groups witnesses by cause, the cause first, and sets `follows` of the others.
void join_causes(const Graph& after, std::vector<Witness>& witnesses);

/// Contents of small inputs at entry, as numbers.
std::vector<InputNumbers> input_numbers(const Case& value, const RunOptions& options);
/// The history of the storages that the witness names, in the scene's run.
std::vector<StorageLane> lanes_of(const Scene& scene, const Witness& witness);
/// The steps at fault inside bodies, if a step that the witness names runs bodies.
std::vector<InnerPlace> steps_inside(const Scene& scene, const Witness& witness);

/// The witness of the hazard that running `swap.second` before `swap.first` revealed.
Witness order_witness(const Scene& scene, const Swap& swap, const Difference& difference);

void replay_pair(Session& session);
void replay_single(Session& session);
void replay_return(Session& session);

}  // namespace noclobber
