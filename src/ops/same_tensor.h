// Names that stand for the same tensor.
#pragma once
#include <vector>

#include "src/ops/decl.h"

namespace noclobber {

/// For each value the first name of its tensor. An operator that writes an argument and returns it (add_, t_,
/// out=) gives its tensor another name; a change through one name is seen through all of them.
std::vector<ValueId> first_names(const Graph& graph, const OpSet& ops);

}  // namespace noclobber
