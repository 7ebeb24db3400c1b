#include "src/lower/pairs/pairing.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "src/graph/bodies.h"
#include "src/lower/mlx/case.h"
#include "src/lower/pairs/pairing_facts.h"
#include "src/lower/pairs/pairing_symbols.h"
#include "src/lower/pairs/specialised.h"
#include "src/lower/pte/case.h"
#include "src/ops/decl.h"

namespace noclobber {

namespace {

std::vector<std::string> input_names(const Graph& graph) {
  std::vector<std::string> out;
  for (const Input& input : graph.inputs) out.push_back(graph.value(input.value).name);
  return out;
}

/// "x", or "x_1", "x_2", ... if that is taken.
std::string free_name(const std::string& name, const std::set<std::string>& taken) {
  std::string out = name;
  for (int k = 1; taken.contains(out); ++k) out = fmt::format("{}_{}", name, k);
  return out;
}

/// Renames a result in the `after` edges of all steps.
void rename_edges(Graph& graph, const std::string& from, const std::string& to) {
  for (Step& step : graph.steps)
    if (!step.extras->after.empty()) std::ranges::replace(step.extras.edit().after, from, to);
}

/// Gives the inputs of `graph` these names; other values that hold one of them get a fresh one.
void rename_inputs(Graph& graph, const std::vector<std::string>& names) {
  std::set<std::string> taken(names.begin(), names.end());
  for (const Value& value : graph.values) taken.insert(value.name);
  const std::set<std::string> wanted(names.begin(), names.end());
  for (Value& value : graph.values) {
    if (value.from != Value::From::step || !wanted.contains(value.name)) continue;
    const std::string fresh = free_name(value.name, taken);
    taken.insert(fresh);
    rename_edges(graph, value.name, fresh);
    value.name = fresh;
  }
  for (std::size_t k = 0; k < names.size(); ++k) graph.values[graph.inputs[k].value.index].name = names[k];
}

/// A constant of `from` alone is no input that the caller passes: `to` gets it as well, as an unused input.
void lend_constants(const Graph& from, Graph& to) {
  const auto names = input_names(to);
  std::set<std::string> taken(names.begin(), names.end());
  for (const Value& value : to.values) taken.insert(value.name);
  for (const Input& input : from.inputs) {
    const Value& value = from.value(input.value);
    if (input.kind != Input::Kind::constant || !taken.insert(value.name).second) continue;
    Input lent = input;
    lent.value = ValueId{static_cast<std::uint32_t>(to.values.size())};
    Value named{value.name, Value::From::input, static_cast<std::uint32_t>(to.inputs.size()), 0, value.type};
    to.values.push_back(std::move(named));
    to.inputs.push_back(std::move(lent));
  }
}

/// Renames the constants of `after` that have the name of a constant of `before` but another type. Returns
/// whether there are any.
bool part_constants(const Graph& before, Graph& after) {
  std::map<std::string, const Input*> known;
  for (const Input& input : before.inputs) known[before.value(input.value).name] = &input;
  std::set<std::string> taken;
  for (const Graph* graph : {&before, static_cast<const Graph*>(&after)})
    for (const Value& value : graph->values) taken.insert(value.name);
  bool found = false;
  for (const Input& input : after.inputs) {
    Value& value = after.values[input.value.index];
    const auto twin = known.find(value.name);
    if (twin == known.end() || input.kind != Input::Kind::constant ||
        twin->second->kind != Input::Kind::constant)
      continue;
    const SharedType& type = before.value(twin->second->value).type;
    if (!type || !value.type || (type->dtype == value.type->dtype && type->shape == value.type->shape))
      continue;
    const std::string fresh = free_name(value.name, taken);
    taken.insert(fresh);
    rename_edges(after, value.name, fresh);
    value.name = fresh;
    found = true;
  }
  return found;
}

/// True if a constant of unknown contents has a name that the other graph lacks. Its position does not
/// identify it.
bool has_constants_apart(const Graph& before, const Graph& after) {
  for (const auto& [graph, other] : {std::pair(&before, &after), std::pair(&after, &before)}) {
    const auto names = input_names(*other);
    const std::set<std::string> known(names.begin(), names.end());
    for (const Input& input : graph->inputs)
      if (input.kind == Input::Kind::constant && !input.contents && input.digest.empty() &&
          !known.contains(graph->value(input.value).name))
        return true;
  }
  return false;
}

/// Empty, or the reason why the inputs of the two graphs cannot be matched.
std::optional<Diagnostic> match_inputs(const Graph& before, Graph& after) {
  const auto left = input_names(before), right = input_names(after);
  const std::set<std::string> left_set(left.begin(), left.end()), right_set(right.begin(), right.end());
  if (left_set == right_set) return std::nullopt;
  if (left.size() != right.size()) {
    return Diagnostic{
        "", fmt::format("inputs do not match: BEFORE has {}, AFTER has {}", left.size(), right.size())};
  }
  for (std::size_t k = 0; k < left.size(); ++k) {
    const bool elsewhere =
        left[k] != right[k] && (right_set.contains(left[k]) || left_set.contains(right[k]));
    if (elsewhere) {
      return Diagnostic{"", fmt::format("inputs match neither by name nor by position: input {} is '{}' in "
                                        "BEFORE and '{}' in AFTER",
                                        k, left[k], right[k])};
    }
  }
  rename_inputs(after, left);
  return std::nullopt;
}

std::string declared_name(const OpDecl& op) { return op.schema.substr(0, op.schema.find('(')); }

std::optional<Diagnostic> merge_operators(std::vector<OpDecl>& into, const std::vector<OpDecl>& more) {
  for (const OpDecl& op : more) {
    const auto same = [&](const OpDecl& known) { return declared_name(known) == declared_name(op); };
    const auto known = std::ranges::find_if(into, same);
    if (known == into.end()) {
      into.push_back(op);
    } else if (known->schema != op.schema || !declared_alike(*known, op)) {
      return Diagnostic{declared_name(op), "BEFORE and AFTER declare this operator differently"};
    }
  }
  return std::nullopt;
}

/// AFTER must be right wherever BEFORE is defined: it may only add ranges for symbols of its own.
void merge_symbols(Case& into, const Case& after) {
  const auto known = into.symbols;
  for (const auto& [name, range] : after.symbols) into.symbols.emplace(name, range);
  for (const SymRelation& relation : after.assume) {
    std::vector<std::string> names = relation.left.symbols();
    for (std::string& name : relation.right.symbols()) names.push_back(std::move(name));
    const bool own =
        std::ranges::any_of(names, [&](const std::string& name) { return !known.contains(name); });
    if (own) into.assume.push_back(relation);
  }
}

}  // namespace

namespace {

constexpr int kDeepestOwned = 16;

/// Copies the bodies that a graph runs into it, and theirs into them: the other file may use their names.
void own_bodies(Graph& graph, const std::map<std::string, Graph>& all, int depth) {
  const auto take = [&](const std::string& name) {
    const auto at = all.find(name);
    if (at == all.end() || depth == kDeepestOwned) return;
    const auto [mine, added] = graph.bodies.emplace(name, at->second);
    if (added) own_bodies(mine->second, all, depth + 1);
  };
  for (const Step& step : graph.steps)
    for (const auto& [place, name] : bodies_given(step)) take(name);
}

/// Uses the method with the name of BEFORE, else `forward`, else the only one.
Result<Case> program_case(Side& before, const std::vector<PteMethod>& methods) {
  auto forward = std::ranges::find(methods, before.facts.name, &PteMethod::name);
  if (forward == methods.end()) forward = std::ranges::find(methods, "forward", &PteMethod::name);
  if (forward == methods.end() && methods.size() != 1)
    return Diagnostic{"", "the program has several methods, none of them 'forward' or called as BEFORE"};
  if (before.knows_kinds) as_executorch_lowers(before.graph, before.facts.bodies, before.facts.symbols);
  const PteMethod& method = forward == methods.end() ? methods[0] : *forward;
  as_executorch_means(before.graph, before.facts.bodies, method);
  forget_requantised(before.graph, method);
  merge_equal_constants(before.graph);
  auto out = case_of_pte(method, &before.graph);
  if (!out) return out;
  know_constants(before.graph, out->after);
  return out;
}

}  // namespace

Result<Case> pair_of(Side before, Side after) {
  const bool is_program = !after.program.empty();
  if (is_program) {
    auto program = program_case(before, after.program);
    if (!program) return program.fault();
    after.facts = *std::move(program);
    after.graph = after.facts.after;
  }
  forget_weights(before.graph);
  forget_weights(after.graph);
  if (after.payload) {
    Result<Case> made = unread_payload(*after.payload, before.graph);
    if (without_places(before.graph, before.facts.ops)) {
      as_mlx_runs(before.graph);
      made = case_of_mlx(*after.payload, before.graph, after.payload_numbers);
    }
    if (!made) return made.fault();
    after.facts = *std::move(made);
    after.facts.ops = mlx_declarations();
    after.graph = after.facts.after;
  }
  const bool both_say = before.knows_kinds && after.knows_kinds;
  if (!is_program &&
      (part_constants(before.graph, after.graph) || before.graph.inputs.size() != after.graph.inputs.size() ||
       (!both_say && has_constants_apart(before.graph, after.graph)))) {
    lend_constants(before.graph, after.graph);
    lend_constants(after.graph, before.graph);
  }
  if (auto fault = match_inputs(before.graph, after.graph)) return *fault;
  match_symbols(before, after);
  Case out;
  out.symbols = before.facts.symbols;
  out.assume = before.facts.assume;
  merge_symbols(out, after.facts);
  out.ops = before.facts.ops;
  if (auto fault = merge_operators(out.ops, after.facts.ops)) return *fault;
  if (!is_program) {
    if (auto fault = share_facts(before, after, out.assumed)) return *fault;
  } else if (!before.knows_storages) {
    take_from_program(after.graph, before.graph);
  }
  if (auto fault = match_outputs(before.graph, after.graph, out.assumed)) return *fault;
  own_bodies(before.graph, before.facts.bodies, 0);
  own_bodies(after.graph, after.facts.bodies, 0);
  out.before = std::move(before.graph);
  out.after = std::move(after.graph);
  out.dataflow = after.facts.dataflow;
  out.compare_strides = before.compares_strides && after.compares_strides;
  out.sharing_may_grow = before.facts.sharing_may_grow && after.facts.sharing_may_grow;
  out.sharing_may_shrink = before.facts.sharing_may_shrink && after.facts.sharing_may_shrink;
  out.plan = after.facts.plan;
  out.registers = after.facts.registers;
  out.portable_kernels = after.facts.portable_kernels;
  out.assumed.insert(out.assumed.end(), after.facts.assumed.begin(), after.facts.assumed.end());
  out.inputs_may_overlap = !before.knows_storages && !after.knows_storages;
  assume_specialised(out);
  return out;
}

}  // namespace noclobber
