#include "src/graph/order_graph.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>

namespace noclobber {

namespace {

/// A topological numbering of the steps: the listed order if it is one. Empty if the edges are cyclic.
std::optional<std::vector<std::uint32_t>> numbers(
    std::uint32_t count, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  std::vector<std::uint32_t> out(count);
  for (std::uint32_t k = 0; k < count; ++k) out[k] = k;
  if (std::ranges::all_of(edges, [](const auto& e) { return e.first < e.second; })) return out;
  using Edges = boost::compressed_sparse_row_graph<boost::directedS>;
  const Edges graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), count);
  std::vector<std::size_t> last_first;
  try {
    boost::topological_sort(graph, std::back_inserter(last_first));
  } catch (const boost::not_a_dag&) {
    return std::nullopt;
  }
  for (std::uint32_t k = 0; k < count; ++k) out[last_first[k]] = count - 1 - k;
  return out;
}

}  // namespace

std::optional<OrderGraph> OrderGraph::of(std::uint32_t count,
                                         std::vector<std::pair<std::uint32_t, std::uint32_t>> edges) {
  auto number = numbers(count, edges);
  if (!number) return std::nullopt;
  OrderGraph out;
  out.number_ = *std::move(number);
  out.start_.assign(std::size_t{count} + 1, 0);
  for (auto& [from, to] : edges) {
    from = out.number_[from];
    to = out.number_[to];
    ++out.start_[to + 1];
  }
  for (std::uint32_t k = 0; k < count; ++k) out.start_[k + 1] += out.start_[k];
  out.before_.resize(edges.size());
  std::vector<std::uint32_t> fill = out.start_;
  for (const auto& [from, to] : edges) out.before_[fill[to]++] = from;
  return out;
}

}  // namespace noclobber
