#include "src/interp/replay_graph.h"

#include <algorithm>

#include "src/ops/meaning.h"

namespace noclobber {

namespace {

bool is_control_flow(const std::string& op) { return op.starts_with("higher_order."); }

void add(std::vector<ValueId>& list, const std::vector<ValueId>& more) {
  for (const ValueId id : more) {
    if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
  }
}

bool is_copy_or_fill(const Schema& schema) {
  return schema.ns == "aten" && (schema.name == "copy_" || schema.name == "fill_" || schema.name == "zero_");
}

bool declared_elementwise(const OpDecl& declaration) {
  if (declaration.access.empty()) return false;
  return std::all_of(declaration.access.begin(), declaration.access.end(),
                     [](const auto& entry) { return entry.second == "elementwise"; });
}

Step clone_step(ValueId result, ValueId of) {
  Step step;
  step.results = {result};
  step.op = "aten.clone.default";
  step.args = {Arg::of(of)};
  return step;
}

Step copy_step(ValueId target, ValueId source) {
  Step step;
  step.op = "aten.copy_.default";
  step.args = {Arg::of(target), Arg::of(source)};
  step.results = {ValueId{}};
  return step;
}

const SchemaSlot* find_slot(const Schema& schema, const std::string& name) {
  const auto at = std::find_if(schema.arguments.begin(), schema.arguments.end(),
                               [&name](const SchemaSlot& slot) { return slot.name == name; });
  return at == schema.arguments.end() ? nullptr : &*at;
}

void replace_refs(Step& step, ValueId from, ValueId to) {
  for (Arg& arg : step.args) replace_ref(arg, from, to);
  for (auto& [name, arg] : step.kwargs.items()) replace_ref(arg, from, to);
}

/// Replaces in the arguments that the schema does not mark as written.
void replace_operand(const Schema& schema, Step& step, ValueId from, ValueId to) {
  for (std::size_t i = 0; i < step.args.size(); ++i) {
    const bool written = i < schema.arguments.size() && schema.arguments[i].written;
    if (!written) replace_ref(step.args[i], from, to);
  }
  for (auto& [name, arg] : step.kwargs.items()) {
    const SchemaSlot* slot = find_slot(schema, name);
    if (slot == nullptr || !slot->written) replace_ref(arg, from, to);
  }
}

/// The references inside written arguments, in order of appearance.
std::vector<Arg*> written_refs(const Schema& schema, Step& step) {
  std::vector<Arg*> out;
  const auto take = [&out](Arg& arg) {
    if (arg.kind == Arg::Kind::ref) out.push_back(&arg);
    for (Arg& item : arg.list.items()) {
      if (item.kind == Arg::Kind::ref) out.push_back(&item);
    }
  };
  for (std::size_t i = 0; i < step.args.size() && i < schema.arguments.size(); ++i) {
    if (schema.arguments[i].written) take(step.args[i]);
  }
  for (auto& [name, arg] : step.kwargs.items()) {
    const SchemaSlot* slot = find_slot(schema, name);
    if (slot != nullptr && slot->written) take(arg);
  }
  return out;
}

}  // namespace

StepRefs step_refs(const OpSet& ops, const Step& step) {
  StepRefs refs;
  const Schema* schema = ops.find(step.op);
  if (schema == nullptr || is_control_flow(step.op)) {
    refs.opaque = true;
    add(refs.operands, uses_of(step));
    return refs;
  }
  const auto take = [&refs](const SchemaSlot* slot, const Arg& arg) {
    std::vector<ValueId> found;
    collect_uses(arg, found);
    if (slot == nullptr || !slot->written) return add(refs.operands, found);
    for (const ValueId id : found) {
      if (std::find(refs.targets.begin(), refs.targets.end(), id) != refs.targets.end())
        refs.repeats_target = true;
    }
    add(refs.targets, found);
    if (slot->keyword_only) add(refs.out_targets, found);
  };
  for (std::size_t i = 0; i < step.args.size(); ++i) {
    take(i < schema->arguments.size() ? &schema->arguments[i] : nullptr, step.args[i]);
  }
  for (const auto& [name, arg] : step.kwargs) {
    take(find_slot(*schema, name), arg);
  }
  const OpDecl* declared = ops.declaration(step.op);
  refs.elementwise = declared != nullptr
                         ? declared_elementwise(*declared)
                         : is_elementwise(base_name(step.op), *schema) || is_copy_or_fill(*schema);
  return refs;
}

void replace_ref(Arg& arg, ValueId from, ValueId to) {
  if (arg.kind == Arg::Kind::ref && arg.ref == from) arg.ref = to;
  for (Arg& item : arg.list.items()) replace_ref(item, from, to);
}

ValueId insert_clone(Graph& graph, std::uint32_t at, ValueId of) {
  const ValueId id(graph.values.size());
  for (Value& value : graph.values) {
    if (value.from == Value::From::step && value.at >= at) ++value.at;
  }
  Value clone;
  clone.name = "snapshot_" + std::to_string(id.index);
  clone.from = Value::From::step;
  clone.at = at;
  graph.values.push_back(std::move(clone));
  graph.steps.insert(graph.steps.begin() + at, clone_step(id, of));
  return id;
}

Graph with_snapshot(const OpSet& ops, const Graph& graph, ValueId value, std::uint32_t at,
                    std::uint32_t from) {
  Graph edited = graph;
  const ValueId snapshot = insert_clone(edited, at, value);
  bool restored = false;
  for (std::uint32_t s = from + 1; s < edited.steps.size(); ++s) {
    const StepRefs refs = step_refs(ops, edited.steps[s]);
    const bool writes = std::find(refs.targets.begin(), refs.targets.end(), value) != refs.targets.end();
    if (!writes || restored) {
      if (!writes) replace_refs(edited.steps[s], value, snapshot);
      continue;
    }
    restored = true;
    for (Value& other : edited.values) {
      if (other.from == Value::From::step && other.at >= s) ++other.at;
    }
    edited.steps.insert(edited.steps.begin() + s, copy_step(value, snapshot));
    ++s;
  }
  if (restored) return edited;
  for (Arg& output : edited.outputs) replace_ref(output, value, snapshot);
  for (auto& [input, contents] : edited.finals) replace_ref(contents, value, snapshot);
  return edited;
}

Graph with_kept_values(const OpSet& ops, const Graph& graph, std::vector<KeptValue> kept) {
  std::ranges::stable_sort(kept, std::greater<>(), &KeptValue::at);  // an insertion moves later steps
  Graph edited = graph;
  for (const KeptValue& one : kept) edited = with_snapshot(ops, edited, one.value, one.at, one.at + 1);
  return edited;
}

Graph with_cloned_operands(const OpSet& ops, const Graph& graph, std::uint32_t at) {
  Graph edited = graph;
  const StepRefs refs = step_refs(ops, graph.steps[at]);
  const Schema* schema = ops.find(graph.steps[at].op);
  if (schema == nullptr) return edited;
  std::uint32_t moved = at;
  for (const ValueId operand : refs.operands) {
    const ValueId clone = insert_clone(edited, moved, operand);
    ++moved;
    replace_operand(*schema, edited.steps[moved], operand, clone);
  }
  return edited;
}

Graph with_separate_targets(const OpSet& ops, const Graph& graph, std::uint32_t at) {
  Graph edited = graph;
  const Schema* schema = ops.find(graph.steps[at].op);
  if (schema == nullptr) return edited;
  std::uint32_t moved = at;
  const std::size_t count = written_refs(*schema, edited.steps[at]).size();
  for (std::size_t i = 1; i < count; ++i) {
    const ValueId target = written_refs(*schema, edited.steps[moved])[i]->ref;
    const ValueId clone = insert_clone(edited, moved, target);
    ++moved;
    written_refs(*schema, edited.steps[moved])[i]->ref = clone;
  }
  return edited;
}

std::optional<Graph> without_write(const OpSet& ops, const Graph& graph, std::uint32_t at) {
  const StepRefs refs = step_refs(ops, graph.steps[at]);
  if (refs.targets.empty() || graph.steps[at].results.size() > 1) return std::nullopt;
  Graph edited = graph;
  Step& step = edited.steps[at];
  step.op = "aten.alias.default";
  step.args = {Arg::of(refs.targets.front())};
  step.kwargs.clear();
  return edited;
}

std::uint32_t defining_step(const Graph& graph, ValueId value) {
  if (!value.valid() || value.index >= graph.values.size()) return Place::kEntry;
  const Value& v = graph.value(value);
  return v.from == Value::From::step ? v.at : Place::kEntry;
}

std::string value_name(const Graph& graph, ValueId value) {
  return value.valid() && value.index < graph.values.size() ? graph.values[value.index].name : "?";
}

Place place_of(const Graph& graph, std::uint32_t step) {
  if (step >= graph.steps.size()) return {static_cast<std::uint32_t>(graph.steps.size()), "return", ""};
  const Step& s = graph.steps[step];
  std::string name = s.extras->id.empty() ? *s.op : s.extras->id;
  if (!s.results.empty() && s.results.front().valid()) name = value_name(graph, s.results.front());
  return {step, std::move(name), s.source->loc};
}

Place defining_place(const Graph& graph, ValueId value) {
  const std::uint32_t step = defining_step(graph, value);
  if (step == Place::kEntry) return {step, value_name(graph, value), ""};
  return {step, value_name(graph, value), graph.steps[step].source->loc};
}

}  // namespace noclobber
