// Names that stand for one tensor.
#pragma once
#include <vector>

#include "src/ops/decl.h"

namespace noclobber {

/// Per value the first name of the tensor that it is: an operator that writes an argument and returns it
/// (add_, t_, out=) gives its tensor another name, and what becomes of one is seen under all of them.
std::vector<ValueId> first_names(const Graph& graph, const OpSet& ops);

}  // namespace noclobber
