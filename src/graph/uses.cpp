#include "src/graph/uses.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>

namespace noclobber {
namespace {

using StepsByName = std::unordered_map<std::string_view, std::uint32_t>;

StepsByName steps_by_name(const Graph& graph) {
  StepsByName out;
  const bool asked = std::ranges::any_of(graph.steps, [](const Step& s) { return !s.extras->after.empty(); });
  if (!asked) return out;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    if (!graph.steps[k].extras->id.empty()) out[graph.steps[k].extras->id] = k;
    for (const ValueId id : graph.steps[k].results)
      if (id.valid()) out[graph.value(id).name] = k;
  }
  return out;
}

}  // namespace

void collect_uses(const Arg& arg, std::vector<ValueId>& out) {
  if (arg.kind == Arg::Kind::ref) out.push_back(arg.ref);
  for (const Arg& item : arg.list) collect_uses(item, out);
}

void replace_uses(Arg& arg, const std::map<std::uint32_t, ValueId>& by) {
  if (arg.kind == Arg::Kind::ref)
    if (const auto at = by.find(arg.ref.index); at != by.end()) arg.ref = at->second;
  for (Arg& item : arg.list.items()) replace_uses(item, by);
}

void replace_uses(Step& step, const std::map<std::uint32_t, ValueId>& by) {
  for (Arg& arg : step.args) replace_uses(arg, by);
  for (auto& [name, arg] : step.kwargs.items()) replace_uses(arg, by);
}

void replace_uses(Graph& graph, const std::map<std::uint32_t, ValueId>& by) {
  for (Step& step : graph.steps) replace_uses(step, by);
  for (Arg& output : graph.outputs) replace_uses(output, by);
  for (auto& [input, arg] : graph.finals) replace_uses(arg, by);
}

std::vector<ValueId> uses_of(const Step& step) {
  std::vector<ValueId> out;
  for (const Arg& arg : step.args) collect_uses(arg, out);
  for (const auto& [name, arg] : step.kwargs) collect_uses(arg, out);
  return out;
}

bool is_used(const Graph& graph, ValueId value, std::size_t first) {
  std::vector<ValueId> used;
  for (const Arg& output : graph.outputs) collect_uses(output, used);
  for (const auto& [input, contents] : graph.finals) collect_uses(contents, used);
  for (std::size_t k = first; k < graph.steps.size(); ++k)
    std::ranges::copy(uses_of(graph.steps[k]), std::back_inserter(used));
  return std::ranges::find(used, value) != used.end();
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> order_edges(const Graph& graph) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  std::unordered_map<std::string_view, std::uint32_t> last_of_stream;
  const StepsByName by_name = steps_by_name(graph);
  const bool streams =
      std::ranges::any_of(graph.steps, [](const Step& s) { return !s.extras->stream.empty(); });
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    const Step& step = graph.steps[k];
    for (const ValueId id : uses_of(step))
      if (id.valid() && graph.value(id).from == Value::From::step) out.emplace_back(graph.value(id).at, k);
    for (const std::string& name : step.extras->after)
      if (const auto at = by_name.find(name); at != by_name.end()) out.emplace_back(at->second, k);
    if (!streams) continue;
    if (const auto at = last_of_stream.find(step.extras->stream); at != last_of_stream.end())
      out.emplace_back(at->second, k);
    last_of_stream[step.extras->stream] = k;
  }
  return out;
}

namespace {
/// Calls `visit` with the symbols of every number in an argument.
void each_symbol(const Arg& arg, const auto& visit) {
  for (const Arg& item : arg.list) each_symbol(item, visit);
  if (arg.kind != Arg::Kind::sym || arg.sym.is_constant()) return;
  for (const std::string& symbol : arg.sym.symbols()) visit(symbol);
}

void each_symbol(const Value& value, const auto& visit) {
  if (!value.type) return;
  for (const SymExpr& extent : value.type->shape)
    if (!extent.is_constant())
      for (const std::string& symbol : extent.symbols()) visit(symbol);
}
}  // namespace

std::map<std::string, std::optional<SizeMade>> sizes_made(const Graph& graph) {
  std::map<std::string, std::optional<SizeMade>> out;
  const auto tell = [&](const std::string& symbol) { out.emplace(symbol, std::nullopt); };
  for (const Input& input : graph.inputs) each_symbol(graph.value(input.value), tell);
  for (const auto& [name, number] : graph.numbers) std::ranges::for_each(number.symbols(), tell);
  for (std::uint32_t number = 0; number < graph.steps.size(); ++number) {
    const Step& step = graph.steps[number];
    for (const Arg& arg : step.args) each_symbol(arg, tell);
    for (const auto& [name, arg] : step.kwargs) each_symbol(arg, tell);
    for (const ValueId id : step.results)
      if (id.valid())
        each_symbol(graph.value(id), [&](const std::string& symbol) {
          if (!out.contains(symbol)) out.emplace(symbol, SizeMade{number, graph.value(id).type->shape});
        });
  }
  return out;
}

void number_values(Graph& graph) {
  for (std::uint32_t k = 0; k < graph.inputs.size(); ++k) graph.values[graph.inputs[k].value.index].at = k;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k)
    for (std::uint32_t r = 0; r < graph.steps[k].results.size(); ++r) {
      const ValueId id = graph.steps[k].results[r];
      if (!id.valid()) continue;
      Value& value = graph.values[id.index];
      value.from = Value::From::step, value.at = k, value.result = r;
    }
}

bool goes_on_after_return(const Graph& graph) {
  const auto leaves = std::ranges::find_if(graph.steps, is_return);
  return leaves != graph.steps.end() && std::next(leaves) != graph.steps.end();
}

Graph without_return(Graph graph) {
  graph = with_return_last(std::move(graph));
  if (!graph.steps.empty() && is_return(graph.steps.back())) graph.steps.pop_back();
  return graph;
}

Graph with_return_last(Graph graph) {
  const auto leaves = std::ranges::find_if(graph.steps, is_return);
  if (leaves == graph.steps.end()) return graph;
  const auto place = static_cast<std::uint32_t>(leaves - graph.steps.begin());
  std::rotate(leaves, std::next(leaves), graph.steps.end());
  for (Value& value : graph.values)
    if (value.from == Value::From::step && value.at > place) --value.at;
  return graph;
}

}  // namespace noclobber
