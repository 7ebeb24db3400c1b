// The partitioner splits a joint graph: the forward graph saves values that the backward graph reads. Run in
// sequence, with one storage for each saved value, they must equal the joint graph (docs/format.md, "A
// training step").
#pragma once
#include "src/lower/torch_trace/case.h"

namespace noclobber {

/// error: `where` is a line and a column of the log.
Result<Case> trace_split_case(TraceGraphs& graphs, const TraceGraph& joint, const TraceGraph& forward,
                              const TraceGraph& backward, const TraceFacts& facts);

}  // namespace noclobber
