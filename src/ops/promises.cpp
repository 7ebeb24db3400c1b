#include "src/ops/promises.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "src/graph/uses.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

constexpr std::size_t kMostNamed = 3;

/// Writes that PyTorch itself allows everywhere.
constexpr std::array<std::string_view, 4> kAllowedWrites = {"fsdp.", "inductor.resize_storage_bytes_",
                                                            "aten.set_", "streams."};

/// The writes that reinplacing makes, and those that a scatter through views becomes. Other writes of aten
/// are not made by it.
constexpr std::array<std::string_view, 6> kReinplaced = {"aten.copy_",          "aten.index_put_",
                                                         "aten._scaled_addmm_", "aten._unsafe_index_put_",
                                                         "aten._philox_",       "aten._foreach_"};

std::string called(const Graph& graph, const Step& step) {
  const auto named = std::ranges::find_if(step.results, [](ValueId id) { return id.valid(); });
  return named != step.results.end() ? graph.value(*named).name : *step.op;
}

/// The input that a copy of the epilogue writes; invalid for any other step.
ValueId copied_into(const Graph& graph, const Step& step) {
  const bool copies =
      step.op == "aten.copy_.default" && !step.args.empty() && step.args[0].kind == Arg::Kind::ref;
  const bool into_input = copies && graph.value(step.args[0].ref).from == Value::From::input;
  return into_input ? step.args[0].ref : ValueId{};
}

bool begins_with_one(const Step& step, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return step.op->starts_with(name); });
}

bool is_allowed_write(const Step& step) { return begins_with_one(step, kAllowedWrites); }

/// True if the graph calls the operator, directly or inside a wrapper.
bool calls(const Graph& graph, const std::string& op) {
  const auto names = [&](const Arg& arg) {
    return arg.kind == Arg::Kind::text && std::string_view(*arg.text).ends_with(op);
  };
  return std::ranges::any_of(
      graph.steps, [&](const Step& step) { return step.op == op || std::ranges::any_of(step.args, names); });
}

/// True if the step computes new contents: it is neither a view nor a write, and gives a tensor.
bool makes_contents(const Graph& graph, const Step& step) {
  const Schema* schema = find_schema(step.op);
  if (schema == nullptr || step.results.empty() || !step.results[0].valid()) return false;
  const auto shares = [](const SchemaSlot& slot) { return !slot.alias.empty(); };
  return graph.value(step.results[0]).type && std::ranges::none_of(schema->returns, shares) &&
         std::ranges::none_of(schema->arguments, [](const SchemaSlot& slot) { return !slot.alias.empty(); });
}

void not_functional(const Graph& graph, std::vector<std::string>& out) {
  for (const Step& step : graph.steps) {
    const Schema* schema = find_schema(step.op);
    if (schema == nullptr || !schema->writes() || is_allowed_write(step)) continue;
    if (!copied_into(graph, step).valid())
      out.push_back("functional: " + called(graph, step) + " (" + step.op + ") writes what it is given");
  }
}

bool is_of_reinplacing(const Step& step) {
  const Schema* schema = find_schema(step.op);
  const bool of_pytorch = step.op->starts_with("aten.") || step.op->starts_with("prims.");
  return schema == nullptr || !schema->writes() || !of_pytorch || is_allowed_write(step) ||
         begins_with_one(step, kReinplaced);
}

/// Reports an input that is copied into twice. A copy into an input that `before` does not copy into is
/// refuted anyway.
void epilogue_repeated(const Graph& graph, std::vector<std::string>& out) {
  std::set<ValueId> copied;
  for (const Step& step : graph.steps)
    if (const ValueId into = copied_into(graph, step); into.valid() && !copied.insert(into).second)
      out.push_back("epilogue: " + called(graph, step) + " copies into " + graph.value(into).name +
                    " a second time");
}

void epilogue_disturbed(const Graph& graph, std::vector<std::string>& out) {
  epilogue_repeated(graph, out);
  bool copied = false;
  for (const Step& step : graph.steps) {
    const ValueId into = copied_into(graph, step);
    copied = copied || into.valid();
    if (!into.valid() && copied && makes_contents(graph, step))
      out.push_back("epilogue: " + called(graph, step) + " is computed behind a copy into an input");
  }
}

std::vector<std::string> epilogue_targets(const Graph& graph) {
  std::vector<std::string> out;
  for (const Step& step : graph.steps)
    if (const ValueId into = copied_into(graph, step); into.valid()) out.push_back(graph.value(into).name);
  return out;
}

/// Reports inputs that both graphs copy into, but in different orders.
void epilogue_reordered(const Graph& before, const Graph& after, std::vector<std::string>& out) {
  const std::vector<std::string> all_before = epilogue_targets(before), all_after = epilogue_targets(after);
  std::vector<std::string> was = all_before, is = all_after;
  const auto keep = [](std::vector<std::string>& names, const std::vector<std::string>& of) {
    const std::set<std::string_view> kept(of.begin(), of.end());
    std::erase_if(names, [&](const std::string& name) { return !kept.contains(name); });
  };
  keep(was, all_after);
  keep(is, all_before);
  for (std::size_t k = 0; k < std::min(was.size(), is.size()); ++k)
    if (was[k] != is[k]) {
      out.push_back("epilogue: copies into " + was[k] + " and " + is[k] + " change places");
      return;
    }
}

void collect_unbacked(const std::vector<SymExpr>& sizes, std::set<std::string>& out) {
  for (const SymExpr& size : sizes)
    for (std::string& symbol : size.symbols())
      if (symbol.starts_with('u')) out.insert(std::move(symbol));
}

/// True if the step's result may have a size that is unknown before it runs.
bool may_bind(const Step& step) {
  const Schema* schema = find_schema(step.op);
  return schema == nullptr || schema->has(Tag::data_dependent_output) ||
         schema->has(Tag::dynamic_output_shape) || schema->has(Tag::higher_order) ||
         !step.op->starts_with("aten.");
}

void used_unbound(const Graph& graph, std::vector<std::string>& out) {
  std::set<std::string> bound;
  for (const Input& input : graph.inputs)
    if (const SharedType& type = graph.value(input.value).type) collect_unbacked(type->shape, bound);
  for (const auto& [name, number] : graph.numbers) collect_unbacked({number}, bound);
  for (const Step& step : graph.steps) {
    std::set<std::string> needed;
    for (const ValueId result : step.results)
      if (const SharedType type = result.valid() ? graph.value(result).type : SharedType())
        collect_unbacked(type->shape, needed);
    if (step.extras->tells.starts_with('u')) bound.insert(step.extras->tells);
    for (const std::string& symbol : needed)
      if (bound.insert(symbol).second && !may_bind(step))
        out.push_back("unbacked: " + called(graph, step) + " uses " + symbol +
                      ", which nothing before it binds");
  }
}

std::vector<std::string> broken_in(const Graph& graph, bool reinplaced) {
  std::vector<std::string> out;
  if (!reinplaced) not_functional(graph, out);
  if (!reinplaced) epilogue_disturbed(graph, out);
  used_unbound(graph, out);
  return out;
}

/// True for a pair from a log: a graph before and after passes.
bool is_of_log(const Case& value) {
  return value.before && value.source == "TORCH_TRACE" && value.title != "split";
}

bool is_reinplaced(const Case& value) { return value.name.find("/joint") == std::string::npos; }

}  // namespace

std::string foreign_writes(const Case& value) {
  if (!is_of_log(value) || !is_reinplaced(value)) return {};
  std::map<std::string_view, bool> known;
  std::string out;
  std::size_t count = 0;
  for (const Step& step : value.after.steps) {
    if (is_of_reinplacing(step)) continue;
    const auto [at, is_new] = known.try_emplace(step.op, false);
    if (is_new) at->second = calls(*value.before, step.op);
    if (at->second || ++count > kMostNamed) continue;
    out += (out.empty() ? "" : ", ") + called(value.after, step) + " (" + step.op + ")";
  }
  if (count == 0) return {};
  if (count > kMostNamed) out += " and " + std::to_string(count - kMostNamed) + " more";
  return "writes that Inductor's reinplacing does not make are meant by another pass: " + out;
}

std::vector<std::string> broken_promises(const Case& value) {
  if (!is_of_log(value)) return {};
  const bool reinplaced = is_reinplaced(value);
  const std::vector<std::string> was = broken_in(*value.before, reinplaced);
  std::vector<std::string> out = broken_in(value.after, reinplaced);
  std::erase_if(out, [&](const std::string& told) { return std::ranges::find(was, told) != was.end(); });
  if (reinplaced) epilogue_repeated(value.after, out);
  epilogue_reordered(*value.before, value.after, out);
  return out;
}

}  // namespace noclobber
