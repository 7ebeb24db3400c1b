// The graphs of a log. Each text is parsed once, however many checks use it.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "src/formats/fx_text/fx_text.h"
#include "src/lower/torch_trace/case.h"

namespace noclobber {

/// A post-grad pass that changes nothing logs one text twice, and the passes begin with the partitioner's
/// graphs, so texts repeat. Payloads must live as long as this object.
class TraceGraphs {
 public:
  /// Announces one more read() of the text. Called before the first read().
  void expect(const TraceGraph& graph);
  /// As read_trace_graph(), from any thread. The graph is dropped at the last expected read().
  Result<FxGraph> read(const TraceGraph& graph);

 private:
  struct Text {
    std::mutex mutex;
    std::size_t readers = 0;  // still expected
    std::optional<FxGraph> graph;
  };
  using Key = std::pair<std::string_view, bool>;  // payload; true if it is in the log, with TABs

  std::map<Key, std::unique_ptr<Text>> texts_;
};

}  // namespace noclobber
