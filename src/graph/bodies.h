// Graphs inside of graphs: the bodies that control flow runs, by name.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// What a step of `graph` means by that name: a body of the graph's own, else of the case; nullptr: none.
const Graph* find_body(const Case& value, const Graph& graph, const std::string& name);
/// The same where steps of `graph` move into `outer`, whose bodies come between.
const Graph* find_body(const Case& value, const Graph& graph, const Graph& outer, const std::string& name);

/// Is the step given a body?
bool has_bodies(const Step& step);

/// May the operator show, or write, elements of a storage beyond the view that it is given (as_strided)?
bool counts_in_storage(const Step& step);
/// The same of any step of a graph or of the bodies that it runs.
bool counts_in_storage(const Case& value, const Graph& graph);

/// The bodies that a step is given and where they stand, in lists, too: ("1", "body0"), ("4.12", "mask0").
std::vector<std::pair<std::string, std::string>> bodies_given(const Step& step);

/// PyTorch's while_loop: what it carries is cloned if no trip runs. The format's own gives the operands back.
void clone_without_trips(Step& step);
bool clones_without_trips(const Step& step);

/// For an argument of a step that moves from a body of `from` into another graph: the bodies that it names go
/// along, under names that begin with `prefix`, as `into` may mean others by theirs.
void take_bodies(const Case& value, const Graph& from, const std::string& prefix, Arg& arg, Graph& into);

/// Does a body return a number by this output? Outside, a symbol stands for it that is one for all branches.
bool gives_number(const Arg& output);

}  // namespace noclobber
