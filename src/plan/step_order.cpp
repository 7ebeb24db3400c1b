#include "src/graph/order_graph.h"
#include "src/graph/uses.h"
#include "src/plan/contract.h"

namespace noclobber {
namespace {

constexpr std::size_t kOrdered = 4096;  // steps; the relation takes one bit per pair

}  // namespace

std::optional<StepOrder> StepOrder::of(const Case& value) {
  StepOrder out;
  if (!value.dataflow || value.after.steps.empty()) return out;
  if (value.after.steps.size() > kOrdered) return std::nullopt;
  const auto graph =
      OrderGraph::of(static_cast<std::uint32_t>(value.after.steps.size()), order_edges(value.after));
  if (!graph) return std::nullopt;
  for (std::uint32_t k = 0; k < graph->size(); ++k) out.number_.push_back(graph->number(k));
  out.earlier_.assign(graph->size(), std::vector<bool>(graph->size(), false));
  for (std::uint32_t k = 0; k < graph->size(); ++k)
    for (const std::uint32_t last : graph->before(k)) {
      out.earlier_[k][last] = true;
      for (std::uint32_t j = 0; j < last; ++j)
        if (out.earlier_[last][j]) out.earlier_[k][j] = true;
    }
  return out;
}

bool StepOrder::before(std::uint32_t a, std::uint32_t b) const {
  if (number_.empty() || a >= number_.size() || b >= number_.size()) return a < b;
  return earlier_[number_[b]][number_[a]];
}

}  // namespace noclobber
