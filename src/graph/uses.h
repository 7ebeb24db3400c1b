// Uses of values, and the ordering edges between steps.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// Appends the values that the argument refers to, in order of appearance, repeats included.
void collect_uses(const Arg& arg, std::vector<ValueId>& out);
/// The values that all arguments of the step refer to, positional arguments first.
std::vector<ValueId> uses_of(const Step& step);
/// True if an output, final contents, or a step from number `first` on refers to the value.
bool is_used(const Graph& graph, ValueId value, std::size_t first = 0);

/// Replaces values that an argument, a step or a graph refers to: `by` maps old indices to new values.
void replace_uses(Arg& arg, const std::map<std::uint32_t, ValueId>& by);
void replace_uses(Step& step, const std::map<std::uint32_t, ValueId>& by);
void replace_uses(Graph& graph, const std::map<std::uint32_t, ValueId>& by);

/// The ordering edges as (earlier, later): def before use, `after`, listed order within a stream.
/// Repeats are possible.
std::vector<std::pair<std::uint32_t, std::uint32_t>> order_edges(const Graph& graph);

/// The step whose result introduces a symbol, and the shape of that result.
struct SizeMade {
  std::uint32_t step = 0;
  std::vector<SymExpr> shape;
};

/// The symbols of a graph, each with the step that introduces it in the shape of a result, such as the number
/// of rows of a nonzero; without a step if inputs, `numbers` or arguments mention the symbol first.
std::map<std::string, std::optional<SizeMade>> sizes_made(const Graph& graph);

/// Recomputes `at` of inputs, and `from`, `at` and `result` of the results of steps.
void number_values(Graph& graph);

/// True if a step is listed after the one that returns. Such a step never runs.
bool goes_on_after_return(const Graph& graph);
/// The graph with the step that returns moved after all others.
Graph with_return_last(Graph graph);
/// The graph without the step that returns: all steps run, and the outputs are read after them.
Graph without_return(Graph graph);

}  // namespace noclobber
