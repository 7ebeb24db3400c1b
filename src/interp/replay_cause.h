// Explains why a run of `after` differs. Where a fault can be repaired, its explanation is tested by running
// the repaired graph, and holds only if the difference goes away.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/interp/replay_guard.h"

namespace noclobber {

/// A run of `after` that differs, the expected result, and the means to run variants of the graph.
struct Scene {
  const Case& value;
  const OpSet& ops;
  const std::set<std::string>& may_write;
  const Expectation& expected;
  Ran before;  // graph and run are null if there is no `before`
  Ran after;
  RunOptions options;
  int& runs_left;                       // number of variants that may still be run
  std::vector<KeptValue> repairs = {};  // repairs of the stale reads found so far, kept when more are sought

  /// Runs an edited graph on the same inputs. Empty if it raises or cannot run, or no runs are left.
  std::optional<Run> variant(const Graph& edited) const;
};

/// Steps that write and are listed behind the return.
std::vector<std::uint32_t> writes_behind_return(const OpSet& ops, const Graph& graph);

/// Names the cause of one value difference: rule, property, places, storage, bytes and a sentence.
Witness explain_value(const Scene& scene, const Difference& difference);

/// The witness of a difference without a known cause: NC004.
Witness value_mismatch(const Scene& scene, const Difference& difference);

// One explanation each; empty if it does not hold.
std::optional<Witness> stale_read(const Scene& scene, const Difference& difference);
/// Two stale reads whose repairs make the target right only together. Empty if there are none.
std::vector<Witness> stale_reads(const Scene& scene, const Difference& difference);
std::optional<Witness> uninitialized_read(const Scene& scene, const Difference& difference);
std::optional<Witness> intra_op_overlap(const Scene& scene, const Difference& difference);
std::optional<Witness> self_overlap(const Scene& scene, const Difference& difference);
/// Overlaps in several steps, or overlaps together with a stale read.
std::optional<Witness> combined_overlaps(const Scene& scene, const Difference& difference);
std::optional<Witness> lost_mutation(const Scene& scene, const Difference& difference);
std::optional<Witness> repeated_write(const Scene& scene, const Difference& difference);

/// Holds if `before` without one of its writes gives exactly what `after` gives: that write is missing.
std::optional<Witness> dropped_write(const Scene& scene, const Difference& difference);
/// True if repairing a single read of `after` removes the whole difference.
bool repaired_by_one_read(const Scene& scene, const Difference& difference);
/// True if an edit of memory effects alone removes the difference, or makes it appear in `before`. Operators
/// that one graph spells otherwise then have no part in it. `folded`: constants of unknown contents that one
/// graph alone reads; because of them a present write may seem to be missing.
bool due_to_memory(const Scene& scene, const Difference& difference, const std::vector<std::string>& folded);

/// True if a target of step `at` has two indices for one byte.
bool writes_repeated_bytes(const OpSet& ops, const Ran& ran, std::uint32_t at);
/// True if two targets of step `at` share bytes.
bool targets_overlap(const OpSet& ops, const Ran& ran, std::uint32_t at);
/// True if a target and an operand of step `at` share bytes in a way its access contract does not allow.
bool overlaps_itself(const OpSet& ops, const Ran& ran, std::uint32_t at);

/// The property of a rule: "NC001" -> "stale-read". "" for a rule that replay never reports.
std::string property_of(const std::string& rule);
Witness named(const std::string& rule);
/// Name of the input on the storage of `view`, or of the first result that lies there; "?" if neither.
std::string storage_name(const Ran& ran, const Tensor& view);
const Tensor* view_in(const Run& run, ValueId value);
/// "output 0", "x at exit"
std::string target_text(const Target& target);
/// "output 0 at [1, 0] should be -6 and is 0"
std::string shown_text(const Scene& scene, const Difference& difference);
/// The same for a difference of any kind: "output 0 shares storage with input x and did not before".
std::string difference_text(const Scene& scene, const Difference& difference);
std::vector<std::int64_t> index_at(const Scene& scene, const Difference& difference);

}  // namespace noclobber
