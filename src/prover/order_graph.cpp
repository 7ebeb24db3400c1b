#include "src/prover/order_graph.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace noclobber {

namespace {

void collect_uses(const Arg& arg, std::vector<ValueId>& out) {
  if (arg.kind == Arg::Kind::ref) out.push_back(arg.ref);
  for (const Arg& item : arg.list) collect_uses(item, out);
}

using StepsByName = std::unordered_map<std::string_view, std::uint32_t>;

StepsByName steps_by_name(const Graph& graph) {
  StepsByName out;
  const bool asked = std::ranges::any_of(graph.steps, [](const Step& s) { return !s.after.empty(); });
  if (!asked) return out;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    if (!graph.steps[k].id.empty()) out[graph.steps[k].id] = k;
    for (const ValueId id : graph.steps[k].results)
      if (id.valid()) out[graph.value(id).name] = k;
  }
  return out;
}

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> order_edges(const Graph& graph) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  std::unordered_map<std::string_view, std::uint32_t> last_of_stream;
  const StepsByName by_name = steps_by_name(graph);
  const bool streams = std::ranges::any_of(graph.steps, [](const Step& s) { return !s.stream.empty(); });
  std::vector<ValueId> read;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    const Step& step = graph.steps[k];
    read.clear();
    for (const Arg& arg : step.args) collect_uses(arg, read);
    for (const auto& [name, arg] : step.kwargs) collect_uses(arg, read);
    for (const ValueId id : read)
      if (id.valid() && graph.value(id).from == Value::From::step) out.emplace_back(graph.value(id).at, k);
    for (const std::string& name : step.after)
      if (const auto at = by_name.find(name); at != by_name.end()) out.emplace_back(at->second, k);
    if (!streams) continue;
    if (const auto at = last_of_stream.find(step.stream); at != last_of_stream.end())
      out.emplace_back(at->second, k);
    last_of_stream[step.stream] = k;
  }
  return out;
}

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
