// An overview of the program.
//
//   Case -worlds, bodies of loops, effects-> Traces -enumerate-> obligations -rules, solver-> evidence
//        evidence -decide-> verdict (decided.cpp) and certificate; a plan -sweep-> findings
//        what stays open -replay-> witness, or unknown
#include "src/check/check.h"

#include <algorithm>

#include "src/certify/nonnegative.h"
#include "src/check/assumptions.h"
#include "src/check/certificates.h"
#include "src/check/constants.h"
#include "src/check/decided.h"
#include "src/check/findings.h"
#include "src/check/inplace_advice.h"
#include "src/check/order_advice.h"
#include "src/check/plan_findings.h"
#include "src/effects/effects.h"
#include "src/effects/trace_text.h"
#include "src/graph/forced_strides.h"
#include "src/graph/scattered_number.h"
#include "src/graph/seeded_draws.h"
#include "src/graph/uses.h"
#include "src/interp/replay.h"
#include "src/interp/replay_cause.h"
#include "src/ops/branches.h"
#include "src/ops/conjugates.h"
#include "src/ops/dead_readers.h"
#include "src/ops/evidence.h"
#include "src/ops/folded_constants.h"
#include "src/ops/fused_calls.h"
#include "src/ops/kept_dims.h"
#include "src/ops/promises.h"
#include "src/ops/saved_draws.h"
#include "src/ops/unrolled.h"
#include "src/ops/untold_results.h"
#include "src/ops/wrappers.h"
#include "src/plan/registers.h"
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

void add_ops(Case& value, const CheckOptions& options) {
  value.ops.push_back(branch_declaration());
  value.ops.insert(value.ops.end(), options.extra_ops.begin(), options.extra_ops.end());
}

std::uint64_t steps_of(const Case& value) {
  return value.after.steps.size() + (value.before ? value.before->steps.size() : 0);
}

void count(CheckRecord& record, const Case& value, const Decided& decided) {
  record.counts.steps = steps_of(value);
  if (record.counts.steps == 0)  // a payload without the graph that calls it
    for (const RegisterProgram& program : value.registers) record.counts.steps += steps_of(program);
  record.counts.modelled = record.counts.steps - std::min(record.counts.steps, decided.unmodelled);
  record.counts.in_place = decided.in_place;
  record.counts.storages = decided.storages;
  record.counts.obligations = decided.obligations;
  record.counts.by_rule = decided.by_rule;
  record.counts.by_z3 = decided.by_solver;
}

/// False if an operator is unknown: the interpreter cannot run past it either.
bool can_run(const Case& value, const OpSet& ops) {
  const auto known = [&](const Step& step) {
    return step.op->starts_with("higher_order.") || is_return(step) || ops.find(step.op) != nullptr;
  };
  const auto all = [&](const Graph& graph) {
    return std::all_of(graph.steps.begin(), graph.steps.end(), known);
  };
  return all(value.after) && (!value.before || all(*value.before));
}

/// Adds the plan to the last check. `beside`: to a check of its own, because the last one is about other
/// Traces.
void state_places(std::vector<Check>& checks, const Traced& running, const Case& value,
                  const PlanAnswer& plan, bool beside) {
  const auto add = [&](const std::string& name, std::optional<Trace> before, Trace after) -> Trace& {
    return checks.insert(checks.end() - 1, {name, std::move(before), std::move(after), {}, {}})->after;
  };
  for (std::size_t k = 0; k < plan.ways.size(); ++k)
    add("plan, way " + std::to_string(k + 1), std::nullopt, plan.ways[k]);
  if (plan.stated.empty()) {
    const bool empty = plan.ways.empty() && !plan.placements.empty();
    if (empty || !plan.open.empty())
      checks.back().after.unknown.emplace_back("unsupported-op", "memory plan");
    return;
  }
  Trace& placed = beside ? add("plan", running.after, running.after) : checks.back().after;
  run_by_rows(placed, value);
  placed.arenas = plan.arenas;
  placed.placements = plan.stated;
}

/// Checks the memory plan and the programs of registers.
void check_places(CheckRecord& record, const Case& value, Decided& decided, Engine& engine) {
  if (value.plan) {  // on the Traces without identities, which leave out accesses
    const bool branches = !decided.running;
    const Traced running =
        decided.running ? *std::move(decided.running) : trace_case(value, engine.ops, engine.sizes);
    const PlanAnswer plan = check_plan(value, engine.ops, running, engine.sizes, branches);
    report_plan(record, value, plan);
    if (plan.faults.empty()) assume_outside(record, plan.outside, engine.options.no_assumptions);
    state_places(decided.checks, running, value, plan, decided.simplified);
  }
  for (const RegisterProgram& program : value.registers) {
    report_plan(record, value, check_registers(program));
    if (std::optional<Trace> trace = trace_of(program))
      decided.checks.insert(decided.checks.end() - 1,
                            {"registers of " + program.name, std::nullopt, *std::move(trace), {}, {}});
    else
      decided.checks.back().after.unknown.emplace_back("unsupported-op", program.name);
  }
}

CheckRecord check_one(const Case& value, const CheckOptions& options) {
  const auto ops = make_op_set(value.ops);
  if (!ops) return unreadable(ops.fault());
  Space space = searching_space();
  Sizes sizes(space);
  sizes.declare(value.symbols, value.assume);
  Questions questions = questions_of(options);
  if (!satisfiable(space, value, questions))
    return unreadable({"/symbols", "no value of the symbols satisfies ranges and relations"});
  Engine engine{options, *ops, sizes, questions};
  Decided decided = decide_case(value, "", engine);

  CheckRecord record;
  record.assumptions.assign(decided.inexact.begin(), decided.inexact.end());
  count(record, value, decided);
  assume(record, value, options.no_assumptions);
  if (decided.proved) assume_untested(record, value, *ops, options.no_assumptions);
  if (decided.proved) assume_rows(record, decided.built_by);
  if (decided.proved) assume_strides(record, decided.untold_strides, options.no_assumptions);
  if (!decided.unordered.empty()) record.unknown.push_back({"not-replayed", decided.unordered});
  if (!misplaced_writes(*ops, value).empty())
    record.unknown.push_back({"not-replayed", {"a write behind the return"}});
  if (decided.by_solver > 0)
    record.assumptions.push_back(solver_version() + " on " + std::to_string(decided.by_solver) +
                                 " obligations");
  check_places(record, value, decided, engine);
  ReplayResult run;
  // It is known of few operators which calls raise. An exception in a run neither proves nor contradicts what
  // was proved of contents.
  if (decided.proved && decided.run.contradiction.starts_with(kAfterRaises))
    record.unknown.push_back({"may-raise", {decided.run.contradiction}});
  if (decided.proved && record.unknown.empty() && record.status != Status::refuted) {
    record.status = Status::proved;
    record.ran = decided.run.ran;
    record.contradiction = decided.run.contradiction;
    if (!options.solver_only) agree(record, options, certify(options, value, space, decided.checks, record));
  }
  if (record.status == Status::unknown || !decided.proved || !record.unknown.empty()) {
    ReplayHint hint;
    hint.symbols = decided.models;
    // Without in-place writes, a difference is hardly one of memory, so the search is shorter. In a training
    // step much else can be wrong.
    if (decided.in_place == 0 && value.title != "split") hint.work /= 10;
    if (can_run(value, *ops)) run = replay(value, hint);
    report_replay(record, value, run);
    report_flights(record, value, decided.flown);
    const Check& last = decided.checks.back();
    if (record.status != Status::refuted)
      explain_open(record, last.after, last.before ? &*last.before : nullptr, decided.open,
                   decided.of ? *decided.of : value, run);
    if (!decided.proved && questions.limited())
      record.unknown.push_back(
          {"resource-limit", {solver_fault().empty() ? "solver" : "solver (not found)"}});
  }
  if (record.status == Status::refuted) record.unknown.clear();
  fill_properties(record, value);
  if (record.checked_by.empty())
    write_certificate(options, value, space, std::move(decided.checks), record, run);
  return record;
}

/// A graph without a partner that goes on after its return is compared with a copy of it in which all steps
/// run.
void expect_all_to_run(Case& value) {
  if (!value.before && !value.names_are_values && goes_on_after_return(value.after))
    value.before = with_return_last(value.after);
}

/// Decides the claim about every order that dataflow allows, in addition to the one about the listed order.
Status every_order(const Case& value, const CheckOptions& options) {
  Case alone = value;
  alone.before.reset();
  alone.names_are_values = false;
  alone.dataflow = true;
  alone.every_order = false;
  expect_all_to_run(alone);
  CheckOptions own = options;
  own.certificates.clear();
  if (alone.before) return check_one(alone, own).status;
  const auto ops = make_op_set(alone.ops);
  if (!ops || options.no_assumptions) return Status::unknown;
  Space space = searching_space();
  Sizes sizes(space);
  sizes.declare(alone.symbols, alone.assume);
  Questions questions;
  Engine engine{options, *ops, sizes, questions};
  const Traced traced = trace_case(alone, *ops, sizes);
  std::vector<Check> checks{{"", traced.after, traced.after, {}, {}}};
  checks[0].boundary.sharing_may_grow = true;
  if (unordered_steps(alone, traced.after, engine).empty() && traced.after.unknown.empty() &&
      certify(own, alone, space, checks, {}).answer.said == checker::Answer::Said::proved)
    return Status::proved;
  ReplayHint hint;
  hint.one_order = true;
  const ReplayResult shown = can_run(alone, *ops) ? replay(alone, hint) : ReplayResult{};
  const bool wrong = std::any_of(shown.witnesses.begin(), shown.witnesses.end(),
                                 [](const Witness& w) { return w.rule == "NC010" || w.rule == "NC011"; });
  return wrong ? Status::refuted : Status::unknown;
}

/// Records the claim about every order and, if that is refuted, the one about the orders that end with the
/// return.
void claim_orders(CheckRecord& record, const Case& value, const CheckOptions& options) {
  const Status all = every_order(value, options);
  record.every_order = status_name(all);
  if (all != Status::refuted || std::ranges::none_of(value.after.steps, is_return)) return;
  Case last = value;
  last.after = without_return(std::move(last.after));
  record.return_last = status_name(every_order(last, options));
}

/// If the case is proved: lists writes after the return, which the caller does not see.
void note_behind_return(CheckRecord& record, const Case& value) {
  if (record.status != Status::proved || !goes_on_after_return(value.after)) return;
  const auto ops = make_op_set(value.ops);
  if (!ops) return;
  if (value.before && !writes_behind_return(*ops, *value.before).empty())
    return;  // an earlier pass put it there
  for (const std::uint32_t step : writes_behind_return(*ops, value.after))
    record.behind_return.push_back(place_of_statement(value.after, step));
}

/// If the case is proved: lists dead instructions of payloads.
void note_dead(CheckRecord& record, const RegisterProgram& program) {
  if (record.status != Status::proved) return;
  for (const std::size_t at : dead_steps(program)) {
    const RegisterStep& step = program.chains[program.main][at];
    FindingPlace& place = record.dead.emplace_back();
    place.graph = "after";
    place.step = static_cast<std::int64_t>(at);
    place.loc = "instruction " + std::to_string(at) + " at byte " + std::to_string(step.at);
    for (const std::uint32_t slot : step.writes)
      place.name += (place.name.empty() ? "slot " : ", slot ") + std::to_string(slot);
    place.statement = step.op + (place.name.empty() ? "" : " into " + place.name);
  }
}

void advise(CheckRecord& record, const Case& value, const CheckOptions& options) {
  const auto ops = make_op_set(value.ops);
  if (!ops || record.status == Status::error) return;
  Space space = searching_space();
  Sizes sizes(space);
  sizes.declare(value.symbols, value.assume);
  Questions questions;
  Engine engine{options, *ops, sizes, questions};
  advise_order(record, value, engine);
}

/// True if all findings are reads of uninitialized contents by operators whose reads are only inferred, and
/// the case is not refuted if these operators fill instead.
bool fills_instead(const CheckRecord& record, const Readings& readings, std::size_t reading,
                   const CheckOptions& options) {
  const auto of_old = [](const Finding& finding) { return finding.rule == "NC002"; };
  CheckOptions own = options;
  own.certificates.clear();
  return record.status == Status::refuted && !readings.inferred.empty() &&
         std::ranges::all_of(record.findings, of_old) &&
         check_one(filling(readings.cases[reading], readings.inferred), own).status != Status::refuted;
}

/// Checks every reading of wrapped operators. Unknown if their verdicts differ.
CheckRecord check_readings(const Case& value, const CheckOptions& options) {
  Readings readings = written_out(value);
  for (Case& one : readings.cases) describe_untold_results(one);
  CheckRecord out;
  for (std::size_t k = 0; k < readings.cases.size(); ++k) {
    CheckOptions own = options;
    if (k > 0) own.reading = "-reading-" + std::to_string(k + 1);
    CheckRecord next = check_one(readings.cases[k], own);
    next.ran = next.ran && (k == 0 || out.ran);
    if (next.contradiction.empty()) next.contradiction = out.contradiction;
    const bool disputed = k > 0 && next.status != out.status;
    if (disputed || fills_instead(next, readings, k, own)) {
      next.status = Status::unknown;
      next.findings.clear();
      next.unknown = {{"unsupported-op", readings.inferred}};
    }
    out = std::move(next);
    if (out.status == Status::unknown) break;
  }
  if (readings.cases.empty()) out.counts.steps = steps_of(value);
  if (readings.cases.empty()) out.unknown.push_back({"unsupported-op", readings.inferred});
  if (options.no_assumptions && out.status == Status::proved) {
    out.status = Status::unknown;
    out.unknown.push_back({"unsupported-op", readings.inferred});
  }
  for (const std::string& op : readings.inferred)
    out.assumptions.push_back("effects of " + op + " inferred from how it is wrapped");
  return out;
}

/// Checks again with loops written out, if their trip counts are known: what induction does not prove may
/// hold then.
void prove_by_trips(CheckRecord& out, const Case& value, const CheckOptions& options) {
  const auto written = with_trips_written_out(value);
  if (!written) return;
  const auto check = [&](const CheckOptions& with) {
    return has_wrappers(*written) ? check_readings(*written, with) : check_one(*written, with);
  };
  CheckOptions quietly = options;  // an unknown result keeps its certificate
  quietly.certificates.clear();
  CheckRecord now = check(quietly);
  if (now.status != Status::proved) return;
  if (!options.certificates.empty()) now = check(options);
  now.counts.steps = out.counts.steps;
  out = std::move(now);
}

}  // namespace

void prepare_case(Case& value, const CheckOptions& options) {
  add_ops(value, options);
  if (value.plan) value = with_loops_written_out(value);
  if (value.before) share_types(*value.before);
  share_types(value.after);
  expect_all_to_run(value);
  describe_untold_results(value);
  show_whole_sums(value);
  show_kept_dims(value);
  leave_out_dead_readers(value);
  compare_instead_of_scatter(value);
  show_forced_strides(value);
  conjugate_at_once(value);
  if (draw_by_seeds(value)) value.assumed.emplace_back(kDrawsBySeeds);
  draw_from_states(value);
  for (std::string& told : assume_folded_constants(value)) value.assumed.push_back(std::move(told));
  for (std::string& told : assume_fused_calls(value)) value.assumed.push_back(std::move(told));
  assume_portable_softmax(value);
  assume_indices_not_negative(value);
  tell_constants_apart(value);
}

CheckRecord check_case(Case value, const CheckOptions& options, bool& contradiction) {
  contradiction = false;
  const std::optional<Case> as_read = options.advise ? std::optional(value) : std::nullopt;
  const std::vector<std::string> broken = broken_promises(value);
  if (std::string told = foreign_writes(value); !told.empty()) value.assumed.push_back(std::move(told));
  prepare_case(value, options);
  CheckRecord out = has_wrappers(value) ? check_readings(value, options) : check_one(value, options);
  if (out.status == Status::unknown) prove_by_trips(out, value, options);
  out.semantics = table_digest();
  out.ran = out.ran && out.status == Status::proved;
  contradiction = out.status == Status::proved && !out.contradiction.empty();
  if (!contradiction) out.contradiction.clear();
  note_behind_return(out, value);
  for (const RegisterProgram& program : value.registers) note_dead(out, program);
  if (value.every_order && !value.dataflow) claim_orders(out, value, options);
  if (value.every_order || value.dataflow) advise(out, value, options);
  if (!broken.empty() && out.status != Status::refuted) {
    out.status = Status::unknown;
    out.unknown.push_back({"broken-invariant", broken});
  }
  const bool has_meaning = !as_read || !as_read->before || out.status == Status::proved;
  if (as_read && has_meaning) out.inplace = advise_inplace(*as_read, options);
  return out;
}

std::string trace_text(Case value, const CheckOptions& options) {
  add_ops(value, options);
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
