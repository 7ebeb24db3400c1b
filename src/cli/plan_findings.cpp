#include "src/cli/plan_findings.h"

#include <algorithm>

#include "src/cli/certificates.h"
#include "src/report/rules.h"

namespace noclobber {
namespace {

const char* plan_rule(PlanFault::Kind kind) {
  switch (kind) {
    case PlanFault::Kind::overlap:
      return "NC030";
    case PlanFault::Kind::bounds:
      return "NC031";
    case PlanFault::Kind::lifetime:
      return "NC032";
    case PlanFault::Kind::metadata:
      return "NC020";
    case PlanFault::Kind::size_fit:
      return "NC021";
    case PlanFault::Kind::refused:
      return "NC023";
    case PlanFault::Kind::undefined:
      return "NC002";
    case PlanFault::Kind::immutable:
      return "NC003";
    case PlanFault::Kind::signature:
      return "NC022";
  }
  return "";
}

std::optional<FindingPlace> step_place(const Graph& graph, std::optional<std::uint32_t> step) {
  if (!step) return std::nullopt;
  FindingPlace out;
  out.graph = "after";
  out.step = *step;
  out.name = "return";
  out.statement = statement_text(graph, *step);
  if (*step >= graph.steps.size()) return out;
  const Step& at = graph.steps[*step];
  const bool named = !at.results.empty() && at.results[0].valid();
  out.name = named ? graph.value(at.results[0]).name : at.op;
  out.loc = at.loc;
  return out;
}

std::string help_of(const PlanFault& fault) {
  switch (fault.kind) {
    case PlanFault::Kind::overlap:
      return "place " + fault.second + " elsewhere, or count every use of " + fault.first +
             " and of its aliases";
    case PlanFault::Kind::lifetime:
      return "let " + fault.first + " live until the last use of its aliases";
    case PlanFault::Kind::metadata:
      return "place " + fault.first + " where " + fault.second + " is";
    case PlanFault::Kind::refused:
      return "keep the operator functional";
    case PlanFault::Kind::bounds:
    case PlanFault::Kind::size_fit:
    case PlanFault::Kind::undefined:
    case PlanFault::Kind::immutable:
    case PlanFault::Kind::signature:
      return "";
  }
  return "";
}

Finding plan_finding(const Case& value, const PlanFault& fault) {
  Finding out;
  out.rule = plan_rule(fault.kind);
  out.property = find_rule(out.rule)->property;
  out.storage = fault.first;
  out.bytes = fault.bytes;
  out.define = step_place(value.after, fault.define);
  out.clobber = step_place(value.after, fault.clobber);
  out.read = step_place(value.after, fault.read);
  const bool lost = out.clobber && out.read;
  if (lost && out.define) out.define->note = "makes " + fault.first;
  if (lost) out.clobber->note = "writes " + fault.second + " over it";
  if (lost) out.read->note = "still reads " + fault.first;
  out.message = fault.message;
  out.witness_symbols = fault.symbols;
  out.witness_where = fault.arena.empty() ? fault.first : "arena " + fault.arena;
  out.expected = fault.expected;
  out.actual = fault.actual;
  out.replayed = true;
  out.help = help_of(fault);
  const Graph none;
  out.fingerprint = fingerprint(out, none, value.after);
  return out;
}

}  // namespace

void report_plan(CheckRecord& record, const Case& value, const PlanAnswer& answer) {
  record.counts.obligations += answer.obligations;
  if (answer.faults.empty() && answer.open.empty()) record.counts.by_rule += answer.obligations;
  for (const PlanFault& fault : answer.faults) record.findings.push_back(plan_finding(value, fault));
  for (const auto& [reason, name] : answer.open) {
    auto at = std::ranges::find_if(record.unknown, [&](const Unknown& u) { return u.reason == reason; });
    if (at == record.unknown.end()) at = record.unknown.insert(record.unknown.end(), Unknown{reason, {}});
    at->names.push_back(name);
  }
  if (!answer.faults.empty()) record.status = Status::refuted;
}

CheckRecord check_plan_table(const PlanTable& table, const PlanTable& instance, std::int64_t capacity,
                             const CheckOptions& options) {
  TableLimits limits;
  if (capacity > 0) limits.capacity = capacity;
  if (!instance.rows.empty()) limits.instance = &instance;
  CheckRecord record;
  const Case none;
  record.counts.storages = table.rows.size();
  record.status = Status::proved;
  const PlanAnswer answer = check_table(table, limits);
  report_plan(record, none, answer);
  if (record.status == Status::proved && record.unknown.empty()) {
    std::vector<std::string> assumed;
    if (limits.instance != nullptr) assumed.emplace_back("the plan has every row of its instance");
    agree(record, certify_plan(options, table, answer.below, capacity, std::move(assumed)));
  }
  const Status rest = record.status == Status::proved ? Status::proved : Status::unknown;
  for (const char* property : {"plan-overlap", "plan-bounds", "plan-lifetime", "size-fit"})
    record.properties[property] = rest;
  for (const Finding& finding : record.findings) record.properties[finding.property] = finding.status;
  return record;
}

}  // namespace noclobber
