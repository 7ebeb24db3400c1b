#include "src/lower/torch_trace/split.h"
#include "src/formats/fx_text/fx_text.h"

#include <algorithm>
#include <utility>

#include "src/graph/composed.h"
#include "src/lower/pairs/silent_constants.h"
#include "src/lower/pairs/specialised.h"
#include "src/lower/torch_trace/graphs.h"

namespace noclobber {
namespace {

/// No graph contains what a training step does between forward and backward.
constexpr const char* kNothingBetween = "nothing else is written between forward and backward";

/// Merges the ranges of symbols that several texts mention.
void merge_split_symbols(Case& value, const FxGraph& graph) {
  for (const auto& [name, range] : graph.symbols) {
    const auto [at, is_new] = value.symbols.try_emplace(name, range);
    if (!is_new) at->second.min = std::max(at->second.min, range.min);
  }
}

/// Adds the inputs that only `from` has, as unused inputs, so that inputs match by name.
void add_split_inputs(const Graph& from, Graph& to) {
  for (const Input& input : from.inputs) {
    Value value = from.value(input.value);
    const auto same = [&](const Input& known) { return to.value(known.value).name == value.name; };
    if (std::ranges::any_of(to.inputs, same)) continue;
    value.at = static_cast<std::uint32_t>(to.inputs.size());
    Input added = input;
    added.value = ValueId(to.values.size());
    to.values.push_back(std::move(value));
    to.inputs.push_back(std::move(added));
  }
}

/// Adds the result of an unknown operator as an output, because forward and backward do not compose.
void add_unfit_output(Graph& graph, const std::string& why) {
  Value value;
  value.name = "forward_and_backward";
  value.from = Value::From::step;
  value.at = static_cast<std::uint32_t>(graph.steps.size());
  Step step;
  step.op = "forward with backward (" + why + ")";
  step.results = {ValueId(graph.values.size())};
  graph.outputs.push_back(Arg::of(step.results[0]));
  graph.values.push_back(std::move(value));
  graph.steps.push_back(std::move(step));
}

}  // namespace

Result<Case> trace_split_case(TraceGraphs& graphs, const TraceGraph& joint, const TraceGraph& forward,
                              const TraceGraph& backward, const TraceFacts& facts) {
  auto whole = graphs.read(joint);
  if (!whole) return whole.fault();
  auto first = graphs.read(forward);
  if (!first) return first.fault();
  auto second = graphs.read(backward);
  if (!second) return second.fault();
  const std::size_t gradients = second->graph.outputs.size(), all = whole->graph.outputs.size();
  auto program = gradients <= all
                     ? composed(std::move(first->graph), second->graph, all - gradients)
                     : Result<Graph>(Diagnostic{"", "backward returns more values than the joint graph"});
  if (!program) {
    first->graph = whole->graph;
    add_unfit_output(whole->graph, program.fault().message);
    add_unfit_output(first->graph, program.fault().message);
  }
  Case value;
  value.before = std::move(whole->graph);
  value.after = program ? *std::move(program) : std::move(first->graph);
  add_split_inputs(*value.before, value.after);
  add_split_inputs(value.after, *value.before);
  value.compare_strides = whole->has_strides && first->has_strides && second->has_strides;
  for (const FxGraph* graph : {&*whole, &*first, &*second}) merge_split_symbols(value, *graph);
  value.assumed.emplace_back(kNothingBetween);
  finish_trace_case(value, facts, "split");
  assume_same_constants(value);
  assume_specialised(value);
  return value;
}

}  // namespace noclobber
