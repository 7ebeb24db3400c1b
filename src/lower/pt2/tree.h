// The outputs of an exported program: a tree of tuples, lists, dictionaries and classes.
#pragma once
#include <string>
#include <vector>

#include "src/text/json.h"

namespace noclobber {

/// The path of each user output in the tree that the program returns, such as "['p'][0]". Empty if the module
/// has no tree that can be read. `module`: the member "graph_module" of a program.
std::vector<std::string> pt2_output_keys(const OrderedJson& module);

}  // namespace noclobber
