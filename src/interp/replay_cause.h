// Why a run of `after` differs: every explanation is tried out by running a variant of the graph in which
// the suspected fault is repaired, and stands only if the difference goes away.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/interp/replay_guard.h"

namespace noclobber {

/// A run of `after` that shows something, what was meant, and how to run variants of it.
struct Scene {
  const Case& value;
  const OpSet& ops;
  const std::set<std::string>& may_write;
  const Expectation& expected;
  Ran before;  // graph and run are null if there is no `before`
  Ran after;
  RunOptions options;
  int& runs_left;                       // bound on variants still to be run
  std::vector<KeptValue> repairs = {};  // of stale reads that were found already: variants have them

  /// The same inputs through an edited graph; nothing if it does not run through.
  std::optional<Run> variant(const Graph& edited) const;
};

/// Steps that stand behind the return and write.
std::vector<std::uint32_t> writes_behind_return(const OpSet& ops, const Graph& graph);

/// Names the cause of one value difference: rule, property, places, storage, bytes and a sentence.
Witness explain_value(const Scene& scene, const Difference& difference);

/// Without a cause: NC004.
Witness value_mismatch(const Scene& scene, const Difference& difference);

// One by one; nothing if the explanation does not hold.
std::optional<Witness> stale_read(const Scene& scene, const Difference& difference);
/// Several reads of old contents that only together make the target right; empty: there are none.
std::vector<Witness> stale_reads(const Scene& scene, const Difference& difference);
std::optional<Witness> uninitialized_read(const Scene& scene, const Difference& difference);
std::optional<Witness> intra_op_overlap(const Scene& scene, const Difference& difference);
std::optional<Witness> self_overlap(const Scene& scene, const Difference& difference);
/// Overlaps within several steps, or one together with a stale read.
std::optional<Witness> combined_overlaps(const Scene& scene, const Difference& difference);
std::optional<Witness> lost_mutation(const Scene& scene, const Difference& difference);
std::optional<Witness> repeated_write(const Scene& scene, const Difference& difference);

/// Some write of `before` left out gives exactly what `after` shows: that write is gone.
std::optional<Witness> dropped_write(const Scene& scene, const Difference& difference);
/// One read of `after` repaired takes the whole difference away.
bool repaired_by_one_read(const Scene& scene, const Difference& difference);
/// The difference goes away, or appears in `before`, by an edit of memory effects alone: operators that one
/// graph spells otherwise have no part in it. `folded`: constants of unknown contents do have one, by which a
/// write that is there may seem to be gone.
bool due_to_memory(const Scene& scene, const Difference& difference, const std::vector<std::string>& folded);

/// A target of step `at` shows one byte at two indices.
bool writes_repeated_bytes(const OpSet& ops, const Ran& ran, std::uint32_t at);
/// Two targets of step `at` share bytes.
bool targets_overlap(const OpSet& ops, const Ran& ran, std::uint32_t at);
/// A target and an operand of step `at` share bytes in a way its access contract does not allow.
bool overlaps_itself(const OpSet& ops, const Ran& ran, std::uint32_t at);

/// "NC001" -> "stale-read"; "" for a code replay never gives.
std::string property_of(const std::string& rule);
Witness named(const std::string& rule);
/// Name of the input, or of the value that made the storage `view` shows.
std::string storage_name(const Ran& ran, const Tensor& view);
const Tensor* view_in(const Run& run, ValueId value);
/// "output 0", "x at exit"
std::string target_text(const Target& target);
/// "output 0 at [1, 0] should be -6 and is 0"
std::string shown_text(const Scene& scene, const Difference& difference);
/// The same of a difference of any kind: "output 0 shares storage with input x and did not before".
std::string difference_text(const Scene& scene, const Difference& difference);
std::vector<std::int64_t> index_at(const Scene& scene, const Difference& difference);

}  // namespace noclobber
