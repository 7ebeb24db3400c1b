#include "src/cli/assumptions.h"

#include <set>

#include "src/ops/evidence.h"

namespace noclobber {
namespace {

void collect_untested(const Graph& graph, const OpSet& ops, std::set<std::string>& out) {
  for (const Step& step : graph.steps) {
    if (is_return(step) || step.op.starts_with("higher_order.") || ops.declaration(step.op) != nullptr)
      continue;
    if (!row_tested(step.op)) out.insert(step.op);
  }
  for (const auto& [name, body] : graph.bodies) collect_untested(body, ops, out);
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
