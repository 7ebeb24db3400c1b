// Which values a step is given, and what must run before what.
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
/// Of all arguments: positional ones first.
std::vector<ValueId> uses_of(const Step& step);
/// Does an output, final contents, or a step from number `first` on refer to it?
bool is_used(const Graph& graph, ValueId value, std::size_t first = 0);

/// Other values for those that an argument, or a whole graph, refers to, by their indices.
void replace_uses(Arg& arg, const std::map<std::uint32_t, ValueId>& by);
void replace_uses(Step& step, const std::map<std::uint32_t, ValueId>& by);
void replace_uses(Graph& graph, const std::map<std::uint32_t, ValueId>& by);

/// (earlier, later) of all steps: a result before its uses, `after`, listed order within a stream.
/// Repeats are possible.
std::vector<std::pair<std::uint32_t, std::uint32_t>> order_edges(const Graph& graph);

/// The step whose result brings in a symbol, and the sizes of that result.
struct SizeMade {
  std::uint32_t step = 0;
  std::vector<SymExpr> shape;
};

/// The symbols of a graph, and who brings one in: the step that has it in the sizes of a result, where
/// nothing before tells it, neither inputs nor numbers nor arguments, such as the rows that nonzero finds.
std::map<std::string, std::optional<SizeMade>> sizes_made(const Graph& graph);

/// Inputs and results of steps say where they stand.
void number_values(Graph& graph);

/// Does a step stand behind the one that returns? It will never run.
bool goes_on_after_return(const Graph& graph);
/// The same steps, the one that returns behind all others.
Graph with_return_last(Graph graph);
/// The graph without the step that returns: all steps run, and outputs are seen behind them.
Graph without_return(Graph graph);

}  // namespace noclobber
