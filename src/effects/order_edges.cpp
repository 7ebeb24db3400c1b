// The order of graph steps if dataflow alone decides.
#include <algorithm>

#include "src/effects/effects.h"
#include "src/graph/uses.h"

namespace noclobber {
namespace {

/// Inserts the step that returns. It reads all that a caller observes, so that writes there conflict with it.
void add_return(Trace& trace, const Graph& graph) {
  const auto found = std::find_if(graph.steps.begin(), graph.steps.end(), is_return);
  if (found == graph.steps.end()) return;
  TraceStep step;
  step.key = found->op;
  step.origin = static_cast<std::uint32_t>(found - graph.steps.begin());
  for (const TraceInput& input : trace.inputs) step.reads.push_back(input.view);
  for (const TraceOutput& output : trace.outputs)
    if (output.view) step.reads.push_back(*output.view);
  for (StorageId s = 0; s < trace.storages.size(); ++s)
    if (trace.storages[s].start == TraceStorage::Start::token) step.reads.push_back({s, {}, {}, "token", 0});
  step.access.edit().resize(step.reads.size());
  const auto place = std::find_if(trace.steps.begin(), trace.steps.end(),
                                  [&](const TraceStep& s) { return s.origin > step.origin; });
  const auto later = [number = place - trace.steps.begin()](std::uint32_t& time) { time += time > number; };
  for (TraceStep& other : trace.steps)
    if (!other.reaching.empty()) std::ranges::for_each(other.reaching.edit(), later);
  for (TraceOutput& output : trace.outputs)
    if (output.reaching) later(*output.reaching);
  trace.steps.insert(place, std::move(step));
}

}  // namespace

void add_order(Trace& trace, const Graph& graph) {
  trace.any_order = true;
  add_return(trace, graph);
  trace.edges = order_edges(graph);
  const auto count = static_cast<std::uint32_t>(graph.steps.size());
  // Final contents are stored after every step.
  for (std::uint32_t k = 0; k < count; ++k) trace.edges.emplace_back(k, count);
  std::sort(trace.edges.begin(), trace.edges.end());
  trace.edges.erase(std::unique(trace.edges.begin(), trace.edges.end()), trace.edges.end());
}

}  // namespace noclobber
