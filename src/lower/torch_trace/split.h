// The partitioner cuts a joint graph in two: what forward saves, backward is given. One after the other, on
// one storage for what is saved, they have to be the joint graph (docs/format.md, "A training step").
#pragma once
#include "src/lower/torch_trace/case.h"

namespace noclobber {

/// error: `where` counts lines and columns of the log.
Result<Case> trace_split_case(TraceGraphs& graphs, const TraceGraph& joint, const TraceGraph& forward,
                              const TraceGraph& backward, const TraceFacts& facts);

}  // namespace noclobber
