// What the steps of a graph touch, and small edits of a graph that ask "what if".
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/graph/uses.h"
#include "src/interp/replay.h"
#include "src/ops/decl.h"

namespace noclobber {

/// What one step is given. A control-flow step may write any operand; a step without schema too.
struct StepRefs {
  std::vector<ValueId> operands;     // given and not written, in order of appearance
  std::vector<ValueId> targets;      // written
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
/// What `value` held before step `at` is what every read by step `from` or later sees; a step that writes
/// into `value` finds it restored. require: at <= from.
Graph with_snapshot(const OpSet& ops, const Graph& graph, ValueId value, std::uint32_t at,
                    std::uint32_t from);
/// The same for several values at once.
Graph with_kept_values(const OpSet& ops, const Graph& graph, std::vector<KeptValue> kept);
/// The operands of step `at` that it does not write are cloned first.
Graph with_cloned_operands(const OpSet& ops, const Graph& graph, std::uint32_t at);
/// Of several written arguments of step `at`, each after the first is cloned first.
Graph with_separate_targets(const OpSet& ops, const Graph& graph, std::uint32_t at);
/// Step `at` does nothing but name its first target again. Nothing if it writes none.
std::optional<Graph> without_write(const OpSet& ops, const Graph& graph, std::uint32_t at);
/// Results of a control-flow or fresh step: the step that defines `value`, or kEntry for an input.
std::uint32_t defining_step(const Graph& graph, ValueId value);

/// Place of a step, of the return (`step` == number of steps), or of an input's entry.
Place place_of(const Graph& graph, std::uint32_t step);
Place defining_place(const Graph& graph, ValueId value);
std::string value_name(const Graph& graph, ValueId value);

}  // namespace noclobber
