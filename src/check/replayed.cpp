// One run of a Case and its findings: as check.cpp, without search and without proof.
#include "src/certify/nonnegative.h"
#include "src/check/check.h"
#include "src/check/findings.h"
#include "src/check/plan_findings.h"
#include "src/effects/effects.h"
#include "src/interp/replay.h"
#include "src/ops/branches.h"
#include "src/ops/wrappers.h"
#include "src/plan/registers.h"

namespace noclobber {

namespace {

/// Reports placements and transfers in flight, which are the same in all runs.
void show_places(CheckRecord& record, const Case& value, const OpSet& ops) {
  Space space = searching_space();
  Sizes sizes(space);
  sizes.declare(value.symbols, value.assume);
  const Traced running = trace_case(value, ops, sizes);
  if (value.plan) report_plan(record, value, check_plan(value, ops, running, sizes, false));
  for (const RegisterProgram& program : value.registers) report_plan(record, value, check_registers(program));
  report_flights(record, value, running.flown);
}

CheckRecord replay_one(const Case& value, const WitnessRun& run) {
  CheckRecord record;
  const auto ops = make_op_set(value.ops);
  if (!ops) return record;
  if (run.seed) {
    ReplayHint hint;
    hint.symbols = {run.symbols};
    hint.seed = run.seed;
    report_replay(record, value, replay(value, hint));
  } else {
    show_places(record, value, *ops);
  }
  return record;
}

}  // namespace

CheckRecord replay_case(Case value, const CheckOptions& options, const WitnessRun& run) {
  prepare_case(value, options);
  if (!has_wrappers(value)) return replay_one(value, run);
  CheckRecord record;  // every reading must have a finding
  for (const Case& reading : written_out(value).cases) {
    record = replay_one(reading, run);
    if (record.findings.empty()) break;
  }
  return record;
}

}  // namespace noclobber
