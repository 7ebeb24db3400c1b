#include "src/prover/order_graph.h"

#include <algorithm>

namespace noclobber {

namespace {

/// A number per step, each after those of its predecessors: the listed order where that is one.
std::optional<std::vector<std::uint32_t>> numbers(
    std::uint32_t count, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  std::vector<std::uint32_t> out(count);
  for (std::uint32_t k = 0; k < count; ++k) out[k] = k;
  if (std::ranges::all_of(edges, [](const auto& e) { return e.first < e.second; })) return out;
  std::vector<std::uint32_t> missing(count, 0), start(count + 1, 0), next(edges.size()), ready;
  for (const auto& [from, to] : edges) {
    ++missing[to];
    ++start[from + 1];
  }
  for (std::uint32_t k = 0; k < count; ++k) start[k + 1] += start[k];
  std::vector<std::uint32_t> fill = start;
  for (const auto& [from, to] : edges) next[fill[from]++] = to;
  for (std::uint32_t k = 0; k < count; ++k)
    if (missing[k] == 0) ready.push_back(k);
  std::uint32_t done = 0;
  for (std::size_t at = 0; at < ready.size(); ++at) {
    out[ready[at]] = done++;
    for (std::uint32_t e = start[ready[at]]; e < start[ready[at] + 1]; ++e)
      if (--missing[next[e]] == 0) ready.push_back(next[e]);
  }
  if (done != count) return std::nullopt;
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
