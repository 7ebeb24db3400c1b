// Reachability in an OrderGraph, for many pairs at once. By hand: Boost.Graph has a search for each pair, or
// the whole closure (`make bench` prints both beside this).
#pragma once
#include <span>
#include <vector>

#include "src/graph/order_graph.h"

namespace noclobber {

/// "Must `first` run before `second`?", for many pairs at once. Numbers of an OrderGraph, first < second.
struct OrderQuery {
  std::uint32_t first = 0, second = 0;
};
/// Per query. 512 different `second` are followed in one pass over the numbers between the lowest `first`
/// and the highest `second`; queries that reach far are followed apart from the others.
/// Memory: 64 bytes per number in the widest pass.
std::vector<bool> ordered(const OrderGraph& graph, std::span<const OrderQuery> queries);

}  // namespace noclobber
