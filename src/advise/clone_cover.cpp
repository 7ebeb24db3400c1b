#include "src/advise/clone_cover.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
// gcc 12 warns that optional iterators inside of the algorithm are read before they are set.
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#pragma GCC diagnostic pop

namespace noclobber {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Flow = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS,
    boost::property<boost::vertex_color_t, boost::default_color_type,
                    boost::property<boost::vertex_distance_t, long,
                                    boost::property<boost::vertex_predecessor_t, Traits::edge_descriptor>>>,
    boost::property<boost::edge_capacity_t, std::int64_t,
                    boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

void add_pipe(Flow& flow, std::size_t from, std::size_t to, std::uint64_t capacity) {
  const auto there = boost::add_edge(from, to, flow).first, back = boost::add_edge(to, from, flow).first;
  boost::put(boost::edge_capacity, flow, there, static_cast<std::int64_t>(capacity));
  boost::put(boost::edge_capacity, flow, back, 0);
  boost::put(boost::edge_reverse, flow, there, back);
  boost::put(boost::edge_reverse, flow, back, there);
}

}  // namespace

CloneCover cheapest_cover(const HazardGraph& graph) {
  const std::size_t values = graph.keep_cost.size(), writes = graph.write_cost.size();
  const std::size_t source = values + writes, sink = source + 1;
  Flow flow(sink + 1);
  // A vertex that may not be copied costs more than all others together, and all of those together cost less
  // than an uncovered hazard.
  const std::uint64_t most = kNever / (source + 1);
  for (std::size_t k = 0; k < values; ++k) add_pipe(flow, source, k, std::min(graph.keep_cost[k], most));
  for (std::size_t k = 0; k < writes; ++k)
    add_pipe(flow, values + k, sink, std::min(graph.write_cost[k], most));
  for (const auto& [value, write] : graph.hazards) add_pipe(flow, value, values + write, kNever);
  boost::boykov_kolmogorov_max_flow(flow, source, sink);
  // The vertices that are reached from the source in the residual graph.
  const auto colour = boost::get(boost::vertex_color, flow);
  const auto reached = [&](std::size_t vertex) { return colour[vertex] == colour[source]; };
  CloneCover out;
  const auto take = [&](std::set<std::size_t>& into, std::size_t which, std::uint64_t cost) {
    into.insert(which);
    out.possible = out.possible && cost < kNever;
    out.bytes += cost < kNever ? cost : 0;
  };
  for (std::size_t k = 0; k < values; ++k)
    if (!reached(k)) take(out.keep, k, graph.keep_cost[k]);
  for (std::size_t k = 0; k < writes; ++k)
    if (reached(values + k)) take(out.write, k, graph.write_cost[k]);
  return out;
}

}  // namespace noclobber
