// A graph as text: what tests of graphs that are written anew compare.
#pragma once
#include <string>

#include "src/graph/case.h"

namespace noclobber::testing {

/// A line for each step, one for what the graph gives. "misplaced" beside a result that does not know its
/// step.
std::string graph_text(const Graph& graph);

/// A graph's text behind its inputs: their names, and what is not as with a user's that nothing writes (?:
/// nothing says so). Of each the place among the inputs must be its own, and no two values have one name.
std::string with_inputs(const Graph& graph);

/// JSON of an input of f32, of a graph, and the case of one or two of those; `more`: members before them.
std::string json_tensor(const std::string& name, const std::string& shape = "4");
std::string json_graph(const std::string& inputs, const std::string& steps, const std::string& outputs);
Case read_as(const std::string& more, const std::string& before, const std::string& after);

}  // namespace noclobber::testing
