// Graphs of a log: each text is read once, however many checks hold it.
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

/// A post-grad pass that changes nothing logs one text twice, and the partitioner's graphs are those that the
/// passes begin with. Payloads must live as long as this does.
class TraceGraphs {
 public:
  /// One more reader of the text is to come. Before the first read().
  void expect(const TraceGraph& graph);
  /// read_trace_graph(), from any thread. What nobody else is expected to read is not kept.
  Result<FxGraph> read(const TraceGraph& graph);

 private:
  struct Text {
    std::mutex mutex;
    std::size_t readers = 0;  // to come
    std::optional<FxGraph> graph;
  };
  using Key = std::pair<std::string_view, bool>;  // payload; is it a file's, without TABs?

  std::map<Key, std::unique_ptr<Text>> texts_;
};

}  // namespace noclobber
