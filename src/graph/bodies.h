// Nested graphs: the bodies that control-flow operators run, by name.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// The body that steps of `graph` call `name`: one of `graph.bodies`, else of `value.bodies`, or nullptr.
const Graph* find_body(const Case& value, const Graph& graph, const std::string& name);
/// The same for steps of `graph` that move into `outer`, whose bodies are searched after those of `graph`.
const Graph* find_body(const Case& value, const Graph& graph, const Graph& outer, const std::string& name);

/// True if an argument of the step, or an item of one, is a body.
bool has_bodies(const Step& step);

/// True if the operator may access elements of a storage outside the view that it is given (as_strided).
bool counts_in_storage(const Step& step);
/// True for a graph if it holds for any step of the graph or of the bodies that it runs.
bool counts_in_storage(const Case& value, const Graph& graph);

/// The bodies among the arguments of a step, also in lists, as (place, name): ("1", "body0"), ("4.12",
/// "mask0").
std::vector<std::pair<std::string, std::string>> bodies_given(const Step& step);

/// Marks a while_loop as PyTorch's: if no trip runs, it returns clones of the loop-carried operands. The
/// format's own while_loop returns the operands themselves.
void clone_without_trips(Step& step);
bool clones_without_trips(const Step& step);

/// For an argument of a step that moves from `from` into `into`: copies the bodies that the argument refers
/// to, under names that begin with `prefix`, since `into` may have other bodies of the same names.
void take_bodies(const Case& value, const Graph& from, const std::string& prefix, Arg& arg, Graph& into);

/// True if this output of a body is a number. Outside, one symbol stands for it, whichever branch runs.
bool gives_number(const Arg& output);

}  // namespace noclobber
