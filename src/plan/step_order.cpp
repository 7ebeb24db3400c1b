#include <algorithm>
#include <map>

#include "src/plan/contract.h"

namespace noclobber {
namespace {

constexpr std::size_t kOrdered = 4096;  // steps; the relation takes a bit per pair

void collect_refs(const Arg& arg, std::vector<ValueId>& out) {
  if (arg.kind == Arg::Kind::ref) out.push_back(arg.ref);
  for (const Arg& item : arg.list) collect_refs(item, out);
}

/// Per step, those that must run after it, without what follows from that.
std::vector<std::vector<std::uint32_t>> direct_successors(const Graph& graph) {
  std::vector<std::vector<std::uint32_t>> out(graph.steps.size());
  std::map<std::string, std::uint32_t> labels, streams;
  const bool streamed = std::ranges::any_of(graph.steps, [](const Step& s) { return !s.stream.empty(); });
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    if (!graph.steps[k].id.empty()) labels[graph.steps[k].id] = k;
    for (const ValueId id : graph.steps[k].results)
      if (id.valid()) labels[graph.value(id).name] = k;
  }
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    const Step& step = graph.steps[k];
    std::vector<ValueId> used;
    for (const Arg& arg : step.args) collect_refs(arg, used);
    for (const auto& [name, arg] : step.kwargs) collect_refs(arg, used);
    for (const ValueId id : used)
      if (graph.value(id).from == Value::From::step) out[graph.value(id).at].push_back(k);
    for (const std::string& name : step.after)
      if (const auto at = labels.find(name); at != labels.end()) out[at->second].push_back(k);
    if (!streamed) continue;
    if (const auto at = streams.find(step.stream); at != streams.end()) out[at->second].push_back(k);
    streams[step.stream] = k;
  }
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
