// What an exported program's caller gets: a tree of tuples, lists, dictionaries and classes.
#pragma once
#include <string>
#include <vector>

#include "src/text/json.h"

namespace noclobber {

/// Where each user output lies in what the program returns, "['p'][0]"; empty where the module says nothing
/// that can be read. `module`: the member "graph_module" of a program.
std::vector<std::string> pt2_output_keys(const OrderedJson& module);

}  // namespace noclobber
