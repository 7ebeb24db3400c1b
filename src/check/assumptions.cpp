#include "src/check/assumptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>

#include "src/ops/evidence.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

constexpr std::size_t kMostNamed = 8;

void collect_untested(const Graph& graph, const OpSet& ops, std::set<std::string>& out) {
  std::unordered_set<std::string_view> seen;
  for (const Step& step : graph.steps) {
    if (!seen.insert(step.op).second || is_return(step) || step.op->starts_with("higher_order.") ||
        ops.declaration(step.op) != nullptr)
      continue;
    if (!row_tested(step.op)) out.insert(step.op);
  }
  for (const auto& [name, body] : graph.bodies) collect_untested(body, ops, out);
}

/// True if the value may lie in the storage of a user input, as far as schemas tell.
bool lies_on_input(const Graph& graph, ValueId id) {
  for (std::size_t k = 0; k < graph.values.size(); ++k) {
    const Value& value = graph.value(id);
    if (value.from == Value::From::input) return graph.inputs[value.at].kind == Input::Kind::user;
    const Step& step = graph.steps[value.at];
    const Schema* schema = find_schema(step.op);
    if (schema == nullptr) return true;
    if (value.result < schema->returns.size() && schema->returns[value.result].alias.empty()) return false;
    if (step.args.empty() || step.args[0].kind != Arg::Kind::ref || !step.args[0].ref.valid()) return true;
    id = step.args[0].ref;
  }
  return true;
}

/// True if a step counts elements from the start of an input's storage: as_strided with an offset.
bool counts_from_start(const Graph& graph) {
  const auto counts = [&](const Step& step) {
    const Schema* schema = find_schema(step.op);
    if (schema == nullptr || schema->name.find("as_strided") == std::string::npos) return false;
    const auto arguments = bind_arguments(*schema, step);
    if (!arguments || arguments->empty() || (*arguments)[0].kind != Arg::Kind::ref) return false;
    for (std::size_t k = 0; k < arguments->size(); ++k)
      if (schema->arguments[k].name == "storage_offset" && (*arguments)[k].kind == Arg::Kind::sym)
        return lies_on_input(graph, (*arguments)[0].ref);
    return false;
  };
  return std::ranges::any_of(graph.steps, counts) ||
         std::ranges::any_of(graph.bodies, [](const auto& body) { return counts_from_start(body.second); });
}

bool counts_from_start(const Case& value) {
  return counts_from_start(value.after) || (value.before && counts_from_start(*value.before)) ||
         std::ranges::any_of(value.bodies, [](const auto& body) { return counts_from_start(body.second); });
}

}  // namespace

void assume(CheckRecord& record, const Case& value, bool dropped) {
  for (const std::string& what : value.assumed) {
    if (dropped) record.unknown.push_back({"no-metadata", {what}});
    record.assumptions.push_back(what);
  }
  for (const std::string& name : value.one_sided)
    record.unknown.push_back(
        {"no-metadata", {name + " (contents of a constant, which one graph alone gives)"}});
  for (const std::string& op : value.assumed_pure) {
    if (dropped) record.unknown.push_back({"unsupported-op", {op}});
    record.assumptions.push_back(op + " is a function of its arguments and writes none");
  }
  if (!value.inputs_may_overlap) return;
  if (counts_from_start(value)) {  // a reader that does not know overlaps does not know offsets either
    if (dropped) record.unknown.push_back({"no-metadata", {"where inputs begin in their storage"}});
    record.assumptions.emplace_back("inputs begin at the start of their storage");
  }
  if (value.every_order) record.assumptions.push_back("inputs lie contiguously");
  if (dropped) {
    record.unknown.push_back({"no-metadata", {"which inputs overlap"}});
  } else {
    record.assumptions.push_back("inputs do not overlap");
  }
}

void assume_untested(CheckRecord& record, const Case& value, const OpSet& ops, bool dropped) {
  std::set<std::string> untested;
  if (value.before) collect_untested(*value.before, ops, untested);
  collect_untested(value.after, ops, untested);
  for (const auto& [name, body] : value.bodies) collect_untested(body, ops, untested);
  for (const std::string& op : untested) {
    if (dropped) record.unknown.push_back({"unsupported-op", {op}});
    record.assumptions.push_back("the row of " + op + " is untested");
  }
}

void assume_strides(CheckRecord& record, const std::set<std::uint32_t>& outputs, bool dropped) {
  for (const std::uint32_t k : outputs) {
    const std::string output = "output " + std::to_string(k);
    if (dropped) record.unknown.push_back({"no-metadata", {"strides of " + output}});
    record.assumptions.push_back(strides_assumed(output));
  }
}

void assume_rows(CheckRecord& record, const std::set<std::string>& rows) {
  if (rows.empty()) return;
  record.assumptions.push_back(
      fmt::format("calls are one by rows that nc-check is not shown: {}", fmt::join(rows, ", ")));
}

void assume_outside(CheckRecord& record, const std::vector<std::string>& values, bool dropped) {
  if (values.empty()) return;
  std::string names;
  for (std::size_t k = 0; k < std::min(values.size(), kMostNamed); ++k)
    names += (k == 0 ? "" : ", ") + values[k];
  if (values.size() > kMostNamed) names += " and " + std::to_string(values.size() - kMostNamed) + " more";
  if (dropped) record.unknown.push_back({"no-metadata", {"places of " + names}});
  record.assumptions.push_back("values without a place have memory of their own: " + names);
}

void be_strict(CheckRecord& record) {
  if (record.status != Status::proved) return;
  Unknown rests{"assumed", {}};
  for (const std::string& what : record.assumptions)
    if (what != "inputs do not overlap") rests.names.push_back(what);
  if (rests.names.empty()) return;
  record.status = Status::unknown;
  record.unknown.push_back(std::move(rests));
  for (auto& [property, status] : record.properties) status = Status::unknown;
}

}  // namespace noclobber
