// Operands and targets of steps, and small edits of a graph that test an explanation.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/graph/uses.h"
#include "src/interp/replay.h"
#include "src/ops/decl.h"

namespace noclobber {

/// The values that one step refers to. A control-flow step, or a step without schema, may write any operand.
struct StepRefs {
  std::vector<ValueId> operands;     // arguments that are not written, in order of appearance
  std::vector<ValueId> targets;      // arguments that are written
  std::vector<ValueId> out_targets;  // those of `targets` whose old contents are not read
  bool elementwise = false;          // element k of a target depends on element k of each operand only
  bool repeats_target = false;       // one value is written through two arguments
  bool opaque = false;               // control flow, or no schema
  bool writes() const { return !targets.empty(); }
};
StepRefs step_refs(const OpSet& ops, const Step& step);

/// Replaces `from` by `to` everywhere in the argument.
void replace_ref(Arg& arg, ValueId from, ValueId to);
/// Inserts `clone(of)` before step `at`; returns the clone's id. Later steps move by one.
ValueId insert_clone(Graph& graph, std::uint32_t at, ValueId of);
/// Every read of `value` by step `from` or later sees its contents from right before step `at`. The first
/// step that writes into `value` finds them restored. require: at <= from.
Graph with_snapshot(const OpSet& ops, const Graph& graph, ValueId value, std::uint32_t at,
                    std::uint32_t from);
/// Applies with_snapshot for several values at once.
Graph with_kept_values(const OpSet& ops, const Graph& graph, std::vector<KeptValue> kept);
/// Step `at` reads clones of the operands that it does not write.
Graph with_cloned_operands(const OpSet& ops, const Graph& graph, std::uint32_t at);
/// Step `at` writes clones of all its written arguments but the first.
Graph with_separate_targets(const OpSet& ops, const Graph& graph, std::uint32_t at);
/// Step `at` becomes an alias of its first target. Empty if it writes nothing or has several results.
std::optional<Graph> without_write(const OpSet& ops, const Graph& graph, std::uint32_t at);
/// The step that defines `value`, or Place::kEntry for an input.
std::uint32_t defining_step(const Graph& graph, ValueId value);

/// Place of a step, or of the return if `step` is not below the number of steps.
Place place_of(const Graph& graph, std::uint32_t step);
Place defining_place(const Graph& graph, ValueId value);
std::string value_name(const Graph& graph, ValueId value);

}  // namespace noclobber
