#include "src/lower/torch_trace/case.h"
#include "src/formats/fx_text/fx_text.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_map>
#include <utility>

#include "src/lower/pairs/silent_constants.h"
#include "src/lower/pairs/specialised.h"
#include "src/lower/torch_trace/graphs.h"

namespace noclobber {
namespace {

/// Converts "line 3, column 9" of a payload to a place in the log, where a TAB precedes each line.
std::string trace_place(std::size_t record_line, std::string_view where) {
  constexpr std::string_view kLine = "line ", kColumn = ", column ";
  const std::size_t comma = where.find(kColumn);
  std::size_t line = 0, column = 0;
  if (where.starts_with(kLine) && comma != where.npos) {
    std::from_chars(where.data() + kLine.size(), where.data() + comma, line);
    std::from_chars(where.data() + comma + kColumn.size(), where.data() + where.size(), column);
  }
  return "line " + std::to_string(record_line + line) + ", column " + std::to_string(column + 1);
}

}  // namespace

Result<FxGraph> read_trace_graph(const TraceGraph& graph) {
  if (graph.payload.empty())
    return Diagnostic{"line " + std::to_string(graph.line), graph.name + " has no text"};
  auto result = graph.file.empty() ? read_fx_text(trace_payload(graph.payload)) : read_fx_text(graph.payload);
  if (result) return result;
  if (!graph.file.empty())
    return Diagnostic{graph.file + ", " + result.fault().where, result.fault().message};
  return Diagnostic{trace_place(graph.line, result.fault().where),
                    graph.name + ": " + result.fault().message};
}

namespace {

std::vector<ValueId> passed_values(const Graph& graph, bool constants) {
  std::vector<ValueId> values;
  for (const Input& input : graph.inputs)
    if ((input.kind == Input::Kind::constant) == constants) values.push_back(input.value);
  return values;
}

/// Adds the constants that only `from` has, as unused inputs, so that inputs match by name.
void add_constants(const Graph& from, Graph& to) {
  std::set<std::string> present;
  for (const ValueId id : passed_values(to, true)) present.insert(to.value(id).name);
  for (const ValueId id : passed_values(from, true)) {
    Value value = from.value(id);
    if (present.contains(value.name)) continue;
    value.at = static_cast<std::uint32_t>(to.inputs.size());
    Input input;
    input.kind = Input::Kind::constant;
    input.value = ValueId(to.values.size());
    to.values.push_back(std::move(value));
    to.inputs.push_back(std::move(input));
  }
}

/// Renames several values at once. Another value that has one of the new names gets a fresh one.
void rename_values(Graph& graph, const std::vector<std::pair<ValueId, std::string>>& names) {
  std::unordered_map<std::string, std::size_t> wanted;
  for (const auto& [id, name] : names) wanted.emplace(name, id.index);
  std::set<std::string> taken;
  for (const Value& value : graph.values) taken.insert(value.name);
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const auto found = wanted.find(graph.values[i].name);
    if (found == wanted.end() || found->second == i) continue;
    std::string fresh = graph.values[i].name + "_after";
    while (taken.contains(fresh) || wanted.contains(fresh)) fresh += '_';
    taken.insert(fresh);
    graph.values[i].name = std::move(fresh);
  }
  for (const auto& [id, name] : names) graph.values[id.index].name = name;
}

std::string trace_title(const Graph& graph, bool trains) {
  bool backward = false, primals = false;
  for (const Input& input : graph.inputs) {
    const std::string& name = graph.value(input.value).name;
    backward = backward || name.starts_with("tangents_");
    primals = primals || name.starts_with("primals_");
  }
  if (backward) return primals && !trains ? "joint" : "backward";
  return trains ? "forward" : "inference";
}

std::string trace_title(const Case& value, bool trains) {
  return trace_title(value.before ? *value.before : value.after, trains);
}

/// True if the caller passes two or more tensors and the graph writes one of its inputs.
bool writes_one_of_several(const Graph& graph) {
  std::size_t given = 0;
  for (const Input& input : graph.inputs) given += input.kind != Input::Kind::constant ? 1 : 0;
  return given > 1 && std::ranges::any_of(graph.steps, [&](const Step& step) {
           return step.op == "aten.copy_.default" && !step.args.empty() &&
                  step.args[0].kind == Arg::Kind::ref &&
                  graph.value(step.args[0].ref).from == Value::From::input;
         });
}

}  // namespace

void finish_trace_case(Case& value, const TraceFacts& facts, std::string title) {
  value.title = std::move(title);
  value.source = "TORCH_TRACE";
  facts.give_symbols(value);
  facts.give_storages(value, value.title == "backward");
  // No guard checks the sharing: a later call may pass tensors that overlap differently.
  if (!value.inputs_may_overlap && writes_one_of_several(value.before ? *value.before : value.after))
    value.assumed.emplace_back("inputs share storage as traced");
  if (value.title != "backward") facts.give_aliases(value);
}

std::string match_trace_inputs(Graph& before, Graph& after) {
  const std::vector<ValueId> left = passed_values(before, false), right = passed_values(after, false);
  if (left.size() != right.size())
    return "before has " + std::to_string(left.size()) + " inputs, after has " + std::to_string(right.size());
  std::vector<std::pair<ValueId, std::string>> names;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::string& name = before.value(left[i]).name;
    if (after.value(right[i]).name != name) names.emplace_back(right[i], name);
  }
  if (!names.empty()) rename_values(after, names);
  add_constants(before, after);
  add_constants(after, before);
  return "";
}

Result<Case> trace_pair_case(TraceGraphs& graphs, const TraceGraph& before, const TraceGraph& after,
                             const TraceFacts& facts, bool trains) {
  auto first = graphs.read(before);
  if (!first) return first.fault();
  auto second = graphs.read(after);
  if (!second) return second.fault();
  const std::string fault = match_trace_inputs(first->graph, second->graph);
  if (!fault.empty()) return Diagnostic{"line " + std::to_string(after.line), fault};
  Case value;
  value.before = std::move(first->graph);
  value.after = std::move(second->graph);
  value.compare_strides = first->has_strides && second->has_strides;
  value.symbols = std::move(first->symbols);
  for (auto& [name, range] : second->symbols) {
    const auto [at, is_new] = value.symbols.try_emplace(name, range);
    if (!is_new) at->second.min = std::max(at->second.min, range.min);
  }
  finish_trace_case(value, facts, trace_title(value, trains));
  assume_same_constants(value);
  assume_specialised(value);
  return value;
}

Result<Case> trace_single_case(TraceGraphs& graphs, const TraceGraph& graph, const TraceFacts& facts,
                               bool trains) {
  auto only = graphs.read(graph);
  if (!only) return only.fault();
  Case value;
  value.after = std::move(only->graph);
  value.compare_strides = only->has_strides;
  value.symbols = std::move(only->symbols);
  finish_trace_case(value, facts, trace_title(value, trains));
  return value;
}

}  // namespace noclobber
