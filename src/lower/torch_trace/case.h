// Builds a Case from the graphs of one compilation.
#pragma once
#include <string>
#include <string_view>

#include "src/formats/fx_text/fx_text.h"
#include "src/lower/torch_trace/facts.h"

namespace noclobber {

/// The text of a graph in a log.
struct TraceGraph {
  enum class Kind : std::uint8_t {
    before_joint,
    after_joint,
    before_post_grad,
    after_post_grad,
    aot_inference,
    aot_forward,
    aot_backward,
    aot_joint,
  };
  Kind kind = Kind::before_joint;
  std::string name;          // "inductor_post_grad_graph"
  std::size_t line = 0;      // of its record
  std::string_view payload;  // raw
  std::string file;          // named by its record; "" if the text is in the log
};

class TraceGraphs;

/// error: `where` is a line and a column of the log.
Result<Case> trace_pair_case(TraceGraphs& graphs, const TraceGraph& before, const TraceGraph& after,
                             const TraceFacts& facts, bool trains);
Result<Case> trace_single_case(TraceGraphs& graphs, const TraceGraph& graph, const TraceFacts& facts,
                               bool trains);

/// Parses the graph of a record.
Result<FxGraph> read_trace_graph(const TraceGraph& graph);
/// Adds what the log states besides its graphs. `title`: "joint", "forward", "backward", "inference" or
/// "split".
void finish_trace_case(Case& value, const TraceFacts& facts, std::string title);

/// Gives `after` the input names of `before`, by position, and both the same constants. Returns "", or the
/// reason why they do not match.
std::string match_trace_inputs(Graph& before, Graph& after);

}  // namespace noclobber
