// The names that the values of a graph have.
#pragma once
#include "src/base/unique_names.h"
#include "src/graph/case.h"

namespace noclobber {

/// A generator of names that no value of the graph has.
inline UniqueNames names_beside(const Graph& graph) {
  UniqueNames out;
  for (const Value& known : graph.values) out.take(known.name);
  return out;
}

}  // namespace noclobber
