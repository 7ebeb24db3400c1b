#include "src/lower/torch_trace/graphs.h"
#include "src/formats/fx_text/fx_text.h"

#include <utility>

namespace noclobber {

void TraceGraphs::expect(const TraceGraph& graph) {
  std::unique_ptr<Text>& text = texts_[{graph.payload, graph.file.empty()}];
  if (!text) text = std::make_unique<Text>();
  ++text->readers;
}

Result<FxGraph> TraceGraphs::read(const TraceGraph& graph) {
  const auto found = texts_.find({graph.payload, graph.file.empty()});
  if (found == texts_.end()) return read_trace_graph(graph);
  Text& text = *found->second;
  const std::lock_guard lock(text.mutex);
  const bool last = text.readers <= 1;
  text.readers -= text.readers > 0 ? 1 : 0;
  if (text.graph) return last ? *std::exchange(text.graph, std::nullopt) : *text.graph;
  Result<FxGraph> read = read_trace_graph(graph);
  if (read && !last) text.graph = *read;
  return read;
}

}  // namespace noclobber
