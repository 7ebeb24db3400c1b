// Rewrites a functional program to the form of the .pte that was made from it.
#include <algorithm>
#include <set>

#include "src/lower/pte/case.h"

namespace noclobber {
namespace {

template <class Visit>
void each_ref(Arg& arg, const Visit& visit) {
  if (arg.kind == Arg::Kind::ref) visit(arg.ref);
  for (Arg& item : arg.list.items()) each_ref(item, visit);
}

template <class Visit>
void each_ref(Graph& graph, const Visit& visit) {
  for (Step& step : graph.steps) {
    for (Arg& arg : step.args) each_ref(arg, visit);
    for (auto& [name, arg] : step.kwargs.items()) each_ref(arg, visit);
  }
  for (Arg& arg : graph.outputs) each_ref(arg, visit);
}

const Type* result_type(const Graph& graph, const Step& step) {
  if (step.results.size() != 1 || !step.results[0].valid()) return nullptr;
  const auto& type = graph.value(step.results[0]).type;
  return type ? &*type : nullptr;
}

void plain_operators(Graph& graph) {
  for (Step& step : graph.steps) {
    if (const Schema* schema = find_schema(step.op)) without_defaults(*schema, step);
    const Type* type = result_type(graph, step);
    if (type == nullptr || step.args.empty()) continue;
    if (step.op == "dim_order_ops._to_dim_order_copy.default") {
      step.op = "aten._to_copy.default";
      step.args.resize(1);
      step.kwargs = {{"dtype", Arg::of_dtype(type->dtype)}};
    } else if (step.op == "dim_order_ops._clone_dim_order.default") {
      step.op = "aten.clone.default";
      step.args.resize(1);
      step.kwargs.clear();
    } else if (step.op == "aten.arange.start_step" || step.op == "aten.scalar_tensor.default" ||
               step.op == "aten.full.default") {
      std::erase_if(step.kwargs.edit(), [](const auto& entry) { return entry.first != "dtype"; });
      if (step.kwargs.empty()) step.kwargs.edit().emplace_back("dtype", Arg::of_dtype(type->dtype));
    }
  }
}

/// Copies each written user input that has a place in an arena, as the runtime does: the caller sees writes
/// to it only in the outputs. Other inputs are the caller's own memory.
void copy_written_inputs(Graph& graph, const PteMethod& method) {
  std::vector<const PteValue*> given_to;  // the inputs that are tensors
  for (const std::uint32_t id : method.inputs)
    if (method.values[id].kind == PteValue::Kind::tensor) given_to.push_back(&method.values[id]);
  std::size_t user = 0;
  for (Input& input : graph.inputs) {
    if (input.kind != Input::Kind::user) continue;
    const bool copied = user >= given_to.size() || given_to[user]->tensor.place.has_value();
    ++user;
    if (!copied || !input.may_write.value_or(false)) continue;
    const Value given = graph.value(input.value);
    for (Value& value : graph.values)
      if (value.from == Value::From::step) ++value.at;
    graph.values.push_back({given.name + "__copy", Value::From::step, 0, 0, given.type});
    const ValueId copy(graph.values.size() - 1), original = input.value;
    each_ref(graph, [&](ValueId& id) { id = id == original ? copy : id; });
    for (auto& [id, arg] : graph.finals)
      each_ref(arg, [&](ValueId& ref) { ref = ref == original ? copy : ref; });
    Step step;
    step.op = "aten.clone.default";
    step.args = {Arg::of(original)};
    step.results = {copy};
    graph.steps.insert(graph.steps.begin(), std::move(step));
    input.may_write = false;
  }
}

/// Appends the positions of the inputs that a body uses, in the order of their first use.
void used_inputs(Graph& body, std::vector<std::uint32_t>& order) {
  each_ref(body, [&](ValueId& id) {
    const Value& value = body.value(id);
    if (value.from == Value::From::input && std::ranges::find(order, value.at) == order.end())
      order.push_back(value.at);
  });
}

/// The body with only these inputs, in this order.
Graph with_inputs(const Graph& body, const std::vector<std::uint32_t>& order) {
  Graph out = body;
  out.inputs.clear();
  out.values.clear();
  std::vector<ValueId> now(body.values.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) {
    Input input = body.inputs[order[k]];
    Value value = body.value(input.value);
    value.at = k;
    now[input.value.index] = ValueId(out.values.size());
    input.value = now[input.value.index];
    out.values.push_back(std::move(value));
    out.inputs.push_back(std::move(input));
  }
  for (std::size_t k = 0; k < body.values.size(); ++k) {
    if (body.values[k].from == Value::From::input) continue;
    now[k] = ValueId(out.values.size());
    out.values.push_back(body.values[k]);
  }
  each_ref(out, [&](ValueId& id) { id = now[id.index]; });
  for (Step& step : out.steps)
    for (ValueId& id : step.results)
      if (id.valid()) id = now[id.index];
  return out;
}

void ordered_operands(Graph& graph, std::map<std::string, Graph>& bodies, std::size_t& count) {
  for (Step& step : graph.steps) {
    if (step.op != "higher_order.cond" || step.args.size() != 4 || step.args[3].kind != Arg::Kind::list)
      continue;
    const auto first = bodies.find(step.args[1].text), second = bodies.find(step.args[2].text);
    if (first == bodies.end() || second == bodies.end()) continue;
    const auto& operands = step.args[3].list;
    const auto fits = [&](const Graph& body) {
      return body.finals.empty() && body.inputs.size() == operands.size();
    };
    if (!fits(first->second) || !fits(second->second)) continue;
    std::vector<std::uint32_t> order;
    used_inputs(first->second, order);
    used_inputs(second->second, order);
    std::vector<Arg> kept;
    for (const std::uint32_t k : order) kept.push_back(operands[k]);
    const std::string name = "branch" + std::to_string(count++);
    Graph arms[] = {with_inputs(first->second, order), with_inputs(second->second, order)};
    step.args[3].list = std::move(kept);
    for (const std::size_t k : {0U, 1U}) {
      arms[k].name = step.args[1 + k].text = name + (k == 0 ? "_true" : "_false");
      bodies[arms[k].name] = std::move(arms[k]);
    }
  }
}

}  // namespace

void without_defaults(const Schema& schema, Step& step) {
  const auto said_anyway = [](const SchemaSlot& slot, const Arg& value) {
    return slot.fallback && *slot.fallback == value;
  };
  std::erase_if(step.kwargs.edit(), [&](const auto& entry) {
    return std::ranges::any_of(schema.arguments, [&](const SchemaSlot& slot) {
      return slot.name == entry.first && said_anyway(slot, entry.second);
    });
  });
  while (step.kwargs.empty() && !step.args.empty() && step.args.size() <= schema.arguments.size() &&
         said_anyway(schema.arguments[step.args.size() - 1], step.args.back()))
    step.args.pop_back();
}

void as_executorch_means(Graph& functional, std::map<std::string, Graph>& bodies, const PteMethod& method) {
  plain_operators(functional);
  for (auto& [name, body] : bodies) plain_operators(body);
  copy_written_inputs(functional, method);
  std::size_t count = 0;
  std::vector<std::string> names;
  for (const auto& [name, body] : bodies) names.push_back(name);
  for (const std::string& name : names) ordered_operands(bodies[name], bodies, count);
  ordered_operands(functional, bodies, count);
}

}  // namespace noclobber
