// Reachability in an OrderGraph, for many pairs at once. Written by hand: Boost.Graph offers a search for
// each pair, or the whole closure (`make bench` prints both beside this).
#pragma once
#include <span>
#include <vector>

#include "src/graph/order_graph.h"

namespace noclobber {

/// Asks whether `first` must run before `second`. Both are numbers of an OrderGraph, first < second.
struct OrderQuery {
  std::uint32_t first = 0, second = 0;
};
/// Answers each query. One pass follows 512 different `second` over the numbers between the lowest `first`
/// and the highest `second`; queries of a long distance have passes of their own.
std::vector<bool> ordered(const OrderGraph& graph, std::span<const OrderQuery> queries);

}  // namespace noclobber
