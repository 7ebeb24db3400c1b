// The map of the program on one screen.
//
//   Case -effects-> Traces -enumerate-> obligations -rules, solver-> evidence -decide-> verdict
//                                                     what stays open -replay-> witness, or unknown
#include "src/cli/pipeline.h"

#include <algorithm>

#include "src/cli/certificates.h"
#include "src/cli/findings.h"
#include "src/effects/effects.h"
#include "src/effects/trace_text.h"
#include "src/interp/replay.h"
#include "src/ops/wrappers.h"
#include "src/prover/nonnegative.h"
#include "src/prover/order.h"
#include "src/prover/prover.h"
#include "src/report/names.h"

namespace noclobber {
namespace {

CheckRecord unreadable(const Diagnostic& fault) {
  CheckRecord out;
  out.status = Status::error;
  out.unknown.push_back({"unreadable", {fault.where + ": " + fault.message}});
  return out;
}

Case with_ops(const Case& value, const CheckOptions& options) {
  Case out = value;
  out.ops.insert(out.ops.end(), options.extra_ops.begin(), options.extra_ops.end());
  return out;
}

void count(CheckRecord& record, const Case& value, const Traced& traced) {
  record.counts.steps = value.after.steps.size() + (value.before ? value.before->steps.size() : 0);
  record.counts.in_place = traced.in_place;
  record.counts.storages =
      traced.after.storages.size() + (traced.before ? traced.before->storages.size() : 0);
}

Boundary boundary_of(const Case& value, const Trace& after) {
  Boundary out{value.compare_strides, value.sharing_may_grow, {}};
  for (const auto& [output, name] : value.may_share)
    for (std::uint32_t k = 0; k < after.inputs.size(); ++k)
      if (after.inputs[k].name == name) out.may_share.emplace(output, k);
  return out;
}

/// What a verdict of this Case rests on besides the solver; with --no-assumptions it stays undecided.
void assume(CheckRecord& record, const Case& value, const CheckOptions& options) {
  if (value.has_plan) record.unknown.push_back({"unsupported-op", {"plan"}});
  for (const std::string& op : value.assumed_pure) {
    if (options.no_assumptions) record.unknown.push_back({"unsupported-op", {op}});
    record.assumptions.push_back(op + " is a function of its arguments and writes none");
  }
  if (!value.inputs_may_overlap) return;
  if (value.every_order) record.assumptions.push_back("inputs lie contiguously");
  if (options.no_assumptions) {
    record.unknown.push_back({"no-metadata", {"which inputs overlap"}});
  } else {
    record.assumptions.push_back("inputs do not overlap");
  }
}

constexpr std::size_t kShownPairs = 16;

/// Under `order: dataflow`: all orders agree with the listed one, or the pairs of steps that may not.
void require_order(CheckRecord& record, const Case& value, const OpSet& ops, Space& space,
                   const Trace& after) {
  if (!value.dataflow) return;
  const OrderAnswer answer = unordered_conflicts(space, value.after, after);
  Unknown open{"not-replayed", {}};
  if (!answer.known) open.names.push_back("the order of steps");
  for (const Unordered& pair : answer.open) {
    if (open.names.size() == kShownPairs) break;
    open.names.push_back("the order of " + statement_text(value.after, pair.first) + " and " +
                         statement_text(value.after, pair.second));
  }
  for (const Step& step : value.after.steps)  // what a name stands for then depends on the order itself
    if (const Schema* schema = ops.find(step.op); schema != nullptr && schema->has(Tag::inplace_view))
      open.names.push_back("the order of " + step.op + " and other uses of its name");
  if (!open.names.empty()) record.unknown.push_back(std::move(open));
}

/// An operator that nobody knows: the interpreter cannot run past it either.
bool can_run(const Case& value, const OpSet& ops) {
  const auto known = [&](const Step& step) {
    return step.op.starts_with("higher_order.") || is_return(step) || ops.find(step.op) != nullptr;
  };
  const auto all = [&](const Graph& graph) {
    return std::all_of(graph.steps.begin(), graph.steps.end(), known);
  };
  return all(value.after) && (!value.before || all(*value.before));
}

/// The least of the table's identities with which rules show everything; none: there is no such.
Identities sufficient_identities(const Case& value, const CheckOptions& options, const OpSet& ops) {
  for (const Identities use : {Identities::exact, Identities::all}) {
    if (use == Identities::all && options.no_assumptions) break;
    Space space = searching_space();
    Sizes sizes(space);
    sizes.declare(value.symbols, value.assume);
    const Traced traced = trace_case(value, ops, sizes, use);
    const Trace* before = traced.before ? &*traced.before : nullptr;
    const Boundary boundary = boundary_of(value, traced.after);
    Terms terms(space);
    Rules rules(space, terms, before, traced.after, boundary);
    if (decide(rules, enumerate(before, traced.after, boundary), {}, false).proved) return use;
    if (traced.inexact.empty()) break;
  }
  return Identities::none;
}

CheckRecord check_one(const Case& value, const CheckOptions& options, Identities use = Identities::none) {
  const auto ops = make_op_set(value.ops);
  if (!ops) return unreadable(ops.fault());
  Space space = searching_space();
  Sizes sizes(space);
  sizes.declare(value.symbols, value.assume);
  if (!satisfiable(space, value))
    return unreadable({"/symbols", "no value of the symbols satisfies ranges and relations"});
  const Traced traced = trace_case(value, *ops, sizes, use);
  const Trace* before = traced.before ? &*traced.before : nullptr;
  const Boundary boundary = boundary_of(value, traced.after);

  CheckRecord record;
  if (use == Identities::all)
    record.assumptions.insert(record.assumptions.end(), traced.inexact.begin(), traced.inexact.end());
  count(record, value, traced);
  assume(record, value, options);
  require_order(record, value, *ops, space, traced.after);
  Terms terms(space);
  Rules rules(space, terms, before, traced.after, boundary);
  const auto obligations = enumerate(before, traced.after, boundary);
  Decision decision = decide(rules, obligations, {}, options.solver_only);
  if (!decision.proved && use == Identities::none && traced.simpler > 0)
    if (const Identities more = sufficient_identities(value, options, *ops); more != Identities::none)
      return check_one(value, options, more);
  ReplayHint hint;
  std::set<Obligation> by_solver;
  if (!decision.open.empty() && !options.no_assumptions) {
    const Solved solved = solve(space, terms, rules, decision.open, options.effort);
    hint.symbols = solved.models;
    by_solver = solved.shown;
    if (!solved.shown.empty()) decision = decide(rules, obligations, solved.shown, options.solver_only);
    if (decision.by_solver > 0)
      record.assumptions.push_back(solved.engine + " on " + std::to_string(decision.by_solver) +
                                   " obligations");
  }
  record.counts.obligations = obligations.size();
  record.counts.by_rule = decision.by_rule;
  record.counts.by_z3 = decision.by_solver;
  ReplayResult shown;
  if (decision.proved && record.unknown.empty()) {
    record.status = Status::proved;
  } else {
    // Where nothing is written in place, a difference is hardly one of memory: look for it less long.
    if (traced.in_place == 0) hint.work /= 10;
    if (can_run(value, *ops)) shown = replay(value, hint);
    report_replay(record, value, shown);
    if (record.status != Status::refuted)
      explain_open(record, traced.after, before, decision.open, value, shown);
  }
  if (record.status == Status::refuted) record.unknown.clear();
  fill_properties(record, value);
  write_certificate(options, value, space, traced, boundary, by_solver, record, shown);
  return record;
}

/// The claim about every order that dataflow allows, beside the one about the listed order.
std::string every_order(const Case& value, const CheckOptions& options) {
  Case alone = value;
  alone.before.reset();
  alone.names_are_values = false;
  alone.dataflow = true;
  alone.every_order = false;
  const auto ops = make_op_set(alone.ops);
  if (!ops || options.no_assumptions) return std::string(status_name(Status::unknown));
  Space space;
  Sizes sizes(space);
  sizes.declare(alone.symbols, alone.assume);
  CheckRecord record;
  const Traced traced = trace_case(alone, *ops, sizes);
  require_order(record, alone, *ops, space, traced.after);
  if (record.unknown.empty() && traced.after.unknown.empty()) return std::string(status_name(Status::proved));
  ReplayHint hint;
  const ReplayResult shown = can_run(alone, *ops) ? replay(alone, hint) : ReplayResult{};
  const bool wrong = std::any_of(shown.witnesses.begin(), shown.witnesses.end(),
                                 [](const Witness& w) { return w.rule == "NC010" || w.rule == "NC011"; });
  return std::string(status_name(wrong ? Status::refuted : Status::unknown));
}

/// Checks every reading of wrapped operators; what they do not agree on is unknown.
CheckRecord check_readings(const Case& value, const CheckOptions& options) {
  const Readings readings = written_out(value);
  CheckRecord out;
  for (std::size_t k = 0; k < readings.cases.size(); ++k) {
    CheckRecord next = check_one(readings.cases[k], options);
    if (k > 0 && next.status != out.status) {
      next.status = Status::unknown;
      next.findings.clear();
      next.unknown = {{"unsupported-op", readings.inferred}};
    }
    out = std::move(next);
    if (out.status == Status::unknown) break;
  }
  if (readings.cases.empty()) out.unknown.push_back({"unsupported-op", readings.inferred});
  if (options.no_assumptions && out.status == Status::proved) {
    out.status = Status::unknown;
    out.unknown.push_back({"unsupported-op", readings.inferred});
  }
  for (const std::string& op : readings.inferred)
    out.assumptions.push_back("effects of " + op + " inferred from auto_functionalized");
  return out;
}

}  // namespace

CheckRecord check_case(const Case& given, const CheckOptions& options, bool& contradiction) {
  contradiction = false;
  const Case value = with_ops(given, options);
  CheckRecord out = has_wrappers(value) ? check_readings(value, options) : check_one(value, options);
  if (value.every_order && !value.dataflow) out.every_order = every_order(value, options);
  return out;
}

std::string trace_text(const Case& given, const CheckOptions& options) {
  const Case value = with_ops(given, options);
  const auto ops = make_op_set(value.ops);
  if (!ops) return "error " + ops.fault().where + ": " + ops.fault().message + "\n";
  Space space = searching_space();
  Sizes sizes(space);
  sizes.declare(value.symbols, value.assume);
  const Traced traced = trace_case(value, *ops, sizes);
  std::string out;
  if (traced.before) out += "trace before\n" + text_of(space, *traced.before) + "trace after\n";
  return out + text_of(space, traced.after);
}

}  // namespace noclobber
