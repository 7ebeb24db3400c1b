#include "src/ops/kept_dims.h"

#include <algorithm>
#include <map>
#include <optional>

#include "src/graph/uses.h"
#include "src/graph/value_names.h"
#include "src/ops/row.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

struct KeptCall {
  std::vector<std::int64_t> dims;  // where a dimension of extent one is inserted, in this order
  Arg* keeps = nullptr;            // the `keepdim` argument in the step
};

/// The dimensions, ascending, if they can be inserted in this order whatever the rank is: nonnegative ones,
/// or a single one. Empty otherwise.
std::optional<std::vector<std::int64_t>> dims_of(const Arg& arg) {
  std::vector<std::int64_t> out;
  for (const Arg& item : items_of(arg)) {
    if (item.kind != Arg::Kind::sym || !item.sym.is_constant()) return std::nullopt;
    out.push_back(item.sym.constant());
  }
  std::ranges::sort(out);
  const bool apart = std::ranges::adjacent_find(out) == out.end();
  return !out.empty() && apart && (out.size() == 1 || out[0] >= 0) ? std::optional(out) : std::nullopt;
}

/// True if the operand or the result is known to have dimensions. Without any, none is inserted.
bool has_dims(const Graph& graph, const Step& step) {
  const auto known = [&](ValueId id) { return graph.value(id).type && !graph.value(id).type->shape.empty(); };
  return known(step.results[0]) ||
         (!step.args.empty() && step.args[0].kind == Arg::Kind::ref && known(step.args[0].ref));
}

std::optional<KeptCall> kept_call(const Graph& graph, Step& step) {
  const OpRow* row = find_row(base_name(step.op));
  if (row == nullptr || !row->keeps_dims) return std::nullopt;
  const Schema* schema = find_schema(step.op);
  if (schema == nullptr || schema->writes() || step.results.size() != 1 || !step.results[0].valid() ||
      !has_dims(graph, step))
    return std::nullopt;
  const auto bound = bind_arguments(*schema, step);
  if (!bound) return std::nullopt;
  KeptCall out;
  for (std::size_t k = 0; k < schema->arguments.size(); ++k) {
    const std::string& name = schema->arguments[k].name;
    if (name == "dim") {
      const auto dims = dims_of((*bound)[k]);
      if (!dims) return std::nullopt;
      out.dims = *dims;
    }
    if (name != "keepdim") continue;
    if (k < step.args.size()) out.keeps = &step.args[k];
    for (auto& [word, arg] : step.kwargs.items())
      if (word == name) out.keeps = &arg;
  }
  const bool keeps = out.keeps != nullptr && out.keeps->kind == Arg::Kind::boolean && out.keeps->boolean;
  return keeps && !out.dims.empty() ? std::optional(out) : std::nullopt;
}

std::map<std::string, int> kept_calls(Graph& graph) {
  std::map<std::string, int> out;
  for (Step& step : graph.steps)
    if (kept_call(graph, step)) ++out[step.op];
  return out;
}

/// Appends a step that inserts a dimension of extent one into `from` at `dim` and defines `result`.
void put_back(std::vector<Step>& steps, const Step& of, ValueId from, std::int64_t dim, ValueId result) {
  Step& step = steps.emplace_back();
  step.op = "aten.unsqueeze.default";
  step.args = {Arg::of(from), Arg::of(SymExpr(dim))};
  step.results = {result};
  step.source = of.source;
  step.line = of.line;
}

void write_out(Graph& graph, const std::map<std::string, int>& more) {
  UniqueNames names = names_beside(graph);
  std::vector<Step> steps;
  for (Step& own : graph.steps) {
    const auto call = more.contains(own.op) ? kept_call(graph, own) : std::nullopt;
    if (!call) {
      steps.push_back(std::move(own));
      continue;
    }
    *call->keeps = Arg::of_bool(false);
    const ValueId result = own.results[0];
    ValueId last;
    const auto another = [&] {
      Value value;
      value.name = names.fresh(graph.value(result).name + "__reduced");
      value.from = Value::From::step;
      graph.values.push_back(std::move(value));
      return ValueId(graph.values.size() - 1);
    };
    own.results = {last = another()};
    const Step of = own;
    steps.push_back(std::move(own));
    for (std::size_t k = 0; k < call->dims.size(); ++k) {
      const ValueId made = k + 1 == call->dims.size() ? result : another();
      put_back(steps, of, last, call->dims[k], made);
      last = made;
    }
  }
  graph.steps = std::move(steps);
  number_values(graph);
}

/// The operators that the graphs do not call equally often.
std::map<std::string, int> called_more(const std::map<std::string, int>& before,
                                       const std::map<std::string, int>& after) {
  std::map<std::string, int> out;
  for (const auto& [one, other] : {std::pair(&before, &after), std::pair(&after, &before)})
    for (const auto& [op, count] : *one)
      if (const auto at = other->find(op); at == other->end() || at->second != count) out.emplace(op, count);
  return out;
}

/// The overload over dimensions that PyTorch's own overload over everything calls with an empty list; "" for
/// other operators.
std::string over_none(const std::string& op) {
  return op == "aten.sum.default" ? "aten.sum.dim_IntList" : op == "aten.mean.default" ? "aten.mean.dim" : "";
}

std::map<std::string, int> whole_sums(const Graph& graph) {
  std::map<std::string, int> out;
  for (const Step& step : graph.steps)
    if (!over_none(step.op).empty()) ++out[step.op];
  return out;
}

}  // namespace

void show_whole_sums(Case& value) {
  if (!value.before || value.plan) return;
  const auto more = called_more(whole_sums(*value.before), whole_sums(value.after));
  for (Graph* graph : {&*value.before, &value.after})
    for (Step& step : graph->steps) {
      if (!more.contains(step.op) || step.args.size() != 1) continue;
      step.op = over_none(step.op);
      step.args.push_back(Arg::of(std::vector<Arg>()));
    }
}

void show_kept_dims(Case& value) {
  if (!value.before || value.plan) return;
  const std::map<std::string, int> more = called_more(kept_calls(*value.before), kept_calls(value.after));
  if (more.empty()) return;
  write_out(*value.before, more);
  write_out(value.after, more);
}

}  // namespace noclobber
