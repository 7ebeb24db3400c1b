// What a graph and the bodies that it runs say, as text: two graphs of one text are one question.
#pragma once
#include <string>

#include "src/graph/case.h"

namespace noclobber {

/// Inputs (with their names), steps, types and outputs, whatever results and bodies are called: of a body's
/// name every graph of that name is written, from the graph that runs it to those around it and the case.
/// Each is written once, so the text grows with the number of bodies, not with that of the places that run
/// them. Names that order steps and where they come from in a source are left out.
std::string body_key(const Case& value, const Graph& graph);

}  // namespace noclobber
