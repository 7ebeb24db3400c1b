// A graph and the bodies that it runs as a text key: two graphs with equal keys pose the same question.
#pragma once
#include <string>

#include "src/graph/case.h"

namespace noclobber {

/// Contains inputs (with their names), steps, types and outputs, but no names of results and bodies: in place
/// of a body's name stands every graph of that name, from the graph that runs it to those around it and the
/// case. Each graph is written once, so the text grows with the number of bodies, not with the number of
/// places that run them. Names that order steps (`id`, `after`) and source locations are left out.
std::string body_key(const Case& value, const Graph& graph);

}  // namespace noclobber
