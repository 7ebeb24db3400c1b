// Undoes the reinplacing pass of a backend in the graph that it was given. Payloads are compared with values,
// and an overwritten value is two values.
#include <algorithm>
#include <map>

#include "src/graph/uses.h"
#include "src/lower/mlx/case.h"
#include "src/lower/pte/case.h"
#include "src/ops/meaning.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

const Schema* mlx_writer(const Step& step) {
  const Schema* schema = find_schema(step.op);
  return schema != nullptr && schema->writes() ? schema : nullptr;
}

/// True if the step writes only its first argument, which is made by a step, and has one result.
bool is_put_in_place(const Graph& graph, const Step& step, const Schema& schema) {
  for (std::size_t k = 0; k < schema.arguments.size(); ++k)
    if (schema.arguments[k].written != (k == 0)) return false;
  return !functional_op(step.op).empty() && step.results.size() == 1 && step.results[0].valid() &&
         !step.args.empty() && step.args[0].kind == Arg::Kind::ref &&
         graph.value(step.args[0].ref).from == Value::From::step;
}

/// True if a result may alias an operand. An unknown operator needs a declaration with fresh results.
bool may_share(const Step& step, const std::vector<OpDecl>& ops) {
  const Schema* schema = find_schema(step.op);
  if (schema != nullptr) return meaning_of(base_name(step.op), *schema) == Meaning::view;
  return std::ranges::none_of(ops, [&](const OpDecl& one) {
    const auto declared = parse_schema(one.schema);
    return declared && declared->op == step.op && !declared->writes() && !one.result.empty() &&
           std::ranges::all_of(one.result, [](const std::string& how) { return how == "fresh"; });
  });
}

}  // namespace

Case unread_payload(const RegisterProgram& program, const Graph& functional) {
  Case out;
  out.name = program.name;
  out.registers.push_back(program);
  Graph& graph = out.after;
  graph.name = "after";
  Step step;
  step.op = "mlx.graph_that_writes_what_is_seen_under_two_names.default";
  for (const Input& input : functional.inputs) {
    const Value& value = functional.value(input.value);
    Input mine = input;
    mine.value = ValueId(graph.values.size());
    graph.values.push_back(
        {value.name, Value::From::input, static_cast<std::uint32_t>(graph.inputs.size()), 0, value.type});
    step.args.push_back(Arg::of(mine.value));
    graph.inputs.push_back(std::move(mine));
  }
  const auto made = [&](const std::string& name, const SharedType& type) {
    const auto number = static_cast<std::uint32_t>(step.results.size());
    graph.values.push_back({free_name(graph, name), Value::From::step, 0, number, type});
    step.results.emplace_back(graph.values.size() - 1);
    return Arg::of(step.results.back());
  };
  for (const Arg& output : functional.outputs) {
    const bool tensor = output.kind == Arg::Kind::ref;
    graph.outputs.push_back(tensor ? made("out", functional.value(output.ref).type) : output);
  }
  for (std::size_t k = 0; k < graph.inputs.size(); ++k)
    if (graph.inputs[k].may_write.value_or(true))
      graph.finals.emplace_back(graph.inputs[k].value, made("left", graph.value(graph.inputs[k].value).type));
  graph.steps.push_back(std::move(step));
  return out;
}

bool without_places(Graph& graph, const std::vector<OpDecl>& ops) {
  const auto writes = [](const Step& step) { return mlx_writer(step) != nullptr; };
  if (std::ranges::none_of(graph.steps, writes)) return true;
  if (std::ranges::any_of(graph.steps, [&](const Step& step) { return may_share(step, ops); })) return false;
  if (std::ranges::any_of(graph.steps, [&](const Step& step) {
        const Schema* schema = mlx_writer(step);
        return schema != nullptr && !is_put_in_place(graph, step, *schema);
      }))
    return false;
  std::map<std::uint32_t, ValueId> now;  // overwritten value -> its latest version
  for (Step& step : graph.steps) {
    replace_uses(step, now);
    if (!writes(step)) continue;
    const ValueId was = step.args[0].ref, is = step.results[0];
    for (auto& [name, latest] : now)
      if (latest.index == was.index) latest = is;
    now[was.index] = is;
    step.op = functional_op(step.op);
  }
  for (Arg& output : graph.outputs) replace_uses(output, now);
  for (auto& [input, output] : graph.finals) replace_uses(output, now);
  return true;
}

}  // namespace noclobber
