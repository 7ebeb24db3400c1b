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

/// (earlier, later) of all steps: a result before its uses, `after`, listed order within a stream.
/// Repeats are possible.
std::vector<std::pair<std::uint32_t, std::uint32_t>> order_edges(const Graph& graph);

/// The symbols of a graph, and the number of the step that brings one in: an extent of its result that
/// nothing before tells, neither inputs nor arguments, such as the rows that nonzero finds.
std::map<std::string, std::optional<std::uint32_t>> sizes_made(const Graph& graph);

/// Inputs and results of steps say where they stand.
void number_values(Graph& graph);

/// Does a step stand behind the one that returns? It will never run.
bool goes_on_after_return(const Graph& graph);
/// The same steps, the one that returns behind all others.
Graph with_return_last(Graph graph);

}  // namespace noclobber
