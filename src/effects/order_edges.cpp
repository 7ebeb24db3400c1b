// Which graph steps must run before which, where dataflow alone decides.
#include <algorithm>

#include "src/effects/effects.h"
#include "src/graph/uses.h"

namespace noclobber {

void add_order(Trace& trace, const Graph& graph) {
  trace.any_order = true;
  trace.edges = order_edges(graph);
  const auto count = static_cast<std::uint32_t>(graph.steps.size());
  // What is stored at exit comes after every step.
  for (std::uint32_t k = 0; k < count; ++k) trace.edges.emplace_back(k, count);
  std::sort(trace.edges.begin(), trace.edges.end());
  trace.edges.erase(std::unique(trace.edges.begin(), trace.edges.end()), trace.edges.end());
}

}  // namespace noclobber
