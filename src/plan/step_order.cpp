#include <algorithm>

#include "src/graph/uses.h"
#include "src/plan/contract.h"

namespace noclobber {
namespace {

constexpr std::size_t kOrdered = 4096;  // steps; the relation takes a bit per pair

/// Per step, those that must run after it, without what follows from that.
std::vector<std::vector<std::uint32_t>> direct_successors(const Graph& graph) {
  std::vector<std::vector<std::uint32_t>> out(graph.steps.size());
  for (const auto& [from, to] : order_edges(graph)) out[from].push_back(to);
  return out;
}

/// The steps so that each comes before its successors; fewer than there are if that cannot be.
std::vector<std::uint32_t> topological(const std::vector<std::vector<std::uint32_t>>& successors) {
  std::vector<std::uint32_t> waiting(successors.size(), 0), out;
  for (const auto& all : successors)
    for (const std::uint32_t next : all) ++waiting[next];
  for (std::uint32_t k = 0; k < successors.size(); ++k)
    if (waiting[k] == 0) out.push_back(k);
  for (std::size_t k = 0; k < out.size(); ++k)
    for (const std::uint32_t next : successors[out[k]])
      if (--waiting[next] == 0) out.push_back(next);
  return out;
}

}  // namespace

std::optional<StepOrder> StepOrder::of(const Case& value) {
  StepOrder out;
  if (!value.dataflow || value.after.steps.empty()) return out;
  if (value.after.steps.size() > kOrdered) return std::nullopt;
  const auto successors = direct_successors(value.after);
  const auto order = topological(successors);
  if (order.size() != successors.size()) return std::nullopt;
  out.later_.assign(order.size(), std::vector<bool>(order.size(), false));
  for (std::size_t k = order.size(); k-- > 0;)
    for (const std::uint32_t next : successors[order[k]]) {
      out.later_[order[k]][next] = true;
      for (std::size_t j = 0; j < order.size(); ++j)
        if (out.later_[next][j]) out.later_[order[k]][j] = true;
    }
  return out;
}

bool StepOrder::before(std::uint32_t a, std::uint32_t b) const {
  if (later_.empty() || a >= later_.size() || b >= later_.size()) return a < b;
  return later_[a][b];
}

}  // namespace noclobber
