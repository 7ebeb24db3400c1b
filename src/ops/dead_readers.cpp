#include "src/ops/dead_readers.h"

#include <algorithm>
#include <set>

#include "src/graph/uses.h"
#include "src/ops/raises.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

/// The operator and the types of its tensor operands; "" if a type is unknown or not floating.
std::string call_text(const Graph& graph, const Step& step) {
  std::string out = step.op;
  for (const ValueId id : uses_of(step)) {
    const SharedType& type = graph.value(id).type;
    if (!type || !is_floating(type->dtype)) return "";
    out += ";" + std::string(name(type->dtype));
    for (const SymExpr& size : type->shape) out += "," + size.text();
    out += type->device->empty() ? "" : "@" + *type->device;
  }
  return out;
}

/// True if the step is a pure elementwise computation that cannot raise, whatever its operands hold.
bool only_computes_elements(const Step& step) {
  const Schema* schema = find_schema(step.op);
  if (schema == nullptr || !schema->has(Tag::pointwise) || schema->has(Tag::nondeterministic_seeded) ||
      schema->has(Tag::out) || schema->has(Tag::inplace) ||
      std::ranges::any_of(schema->arguments, [](const SchemaSlot& slot) { return slot.written; }))
    return false;
  const auto bound = bind_arguments(*schema, step);
  return bound && !raises_over(std::string_view(step.op).substr(0, step.op->rfind('.')), *schema, *bound);
}

/// True if nothing but its results depends on the step.
bool is_free(const Step& step, const std::set<std::string>& waited_for, const Graph& graph) {
  const auto named = [&](ValueId id) { return id.valid() && waited_for.contains(graph.value(id).name); };
  return step.extras->after.empty() && step.extras->stream.empty() && step.unit == 0 && !step.barrier &&
         !step.fused && step.extras->id.empty() && std::ranges::none_of(step.results, named);
}

/// Replaces the step by an aten.empty of the type of its first operand.
void forget(Graph& graph, Step& step) {
  const SharedType type = graph.value(uses_of(step).front()).type;
  std::vector<Arg> sizes;
  for (const SymExpr& size : type->shape) sizes.push_back(Arg::of(size));
  step.op = "aten.empty.memory_format";
  step.args = {Arg::of(std::move(sizes))};
  step.kwargs = {{"dtype", Arg::of_dtype(type->dtype)}};
  if (!type->device->empty()) step.kwargs.edit().emplace_back("device", Arg::of_device(*type->device));
  for (const ValueId id : step.results)
    if (id.valid()) graph.values[id.index].type = SharedType();
}

}  // namespace

void leave_out_dead_readers(Case& value) {
  if (!value.dataflow || !value.before || value.plan) return;
  std::set<std::string> known;
  for (const Step& step : value.before->steps) known.insert(call_text(*value.before, step));
  Graph& graph = value.after;
  std::set<std::string> waited_for;
  for (const Step& step : graph.steps)
    waited_for.insert(step.extras->after.begin(), step.extras->after.end());
  for (std::size_t k = graph.steps.size(); k-- > 0;) {
    const Step& step = graph.steps[k];
    const bool seen = std::ranges::any_of(
        step.results, [&](ValueId id) { return id.valid() && is_used(graph, id, k + 1); });
    if (seen || !is_free(step, waited_for, graph) || !only_computes_elements(step)) continue;
    const std::string text = call_text(graph, step);
    if (uses_of(step).empty() || text.empty() || !known.contains(text)) continue;
    forget(graph, graph.steps[k]);
  }
}

}  // namespace noclobber
