#include "src/fuzz/probe.h"

#include <algorithm>

#include "src/fuzz/edits.h"
#include "src/interp/replay_session.h"
#include "src/ops/row.h"

namespace noclobber::fuzz {
namespace {

constexpr const char* kPlanFaults[] = {"plan-overlap", "plan-small", "plan-short-life", "plan-outside"};
constexpr const char* kRegisterFaults[] = {"register-constant", "register-signature", "register-undefined"};

/// Consecutive seeds visit every row of the operator table once.
std::size_t row_of(const Probe& probe) { return probe.seed % op_rows().size(); }

Probe::Kind some_kind(Random& random) {
  const std::int64_t at = random.below(100);
  if (at < 46) return Probe::Kind::pair;
  if (at < 61) return Probe::Kind::symbolic;
  if (at < 71) return Probe::Kind::dataflow;
  if (at < 79) return Probe::Kind::control;
  if (at < 88) return Probe::Kind::plan;
  if (at < 91) return Probe::Kind::metadata;
  if (at < 93) return Probe::Kind::foreign;
  if (at < 95) return Probe::Kind::leaving;
  if (at < 96) return Probe::Kind::registers;
  return at < 98 ? Probe::Kind::loop : Probe::Kind::alone;
}

/// A random program and its rewrite: sound, and in half of all cases damaged.
struct Story {
  Draft before, after;
  std::string fault, log;
};

std::optional<Story> story(Random& random, std::size_t row, bool damage, int table = 65) {
  Story out;
  const Vocabulary words = random.chance(table) ? Vocabulary::table : Vocabulary::small;
  out.before = random_program(random, random.chance(40), words,
                              words == Vocabulary::table ? std::optional(row) : std::nullopt);
  if (words == Vocabulary::table && !refresh(out.before)) return std::nullopt;
  out.after = random.chance(80) ? rewritten(out.before, random, out.log) : out.before;
  if (!damage) return out;
  for (int tries = 0; tries < 4; ++tries) {
    const auto fault = static_cast<Fault>(random.below(kFaults));
    auto broken = damaged(out.after, fault, random);
    if (!broken) continue;
    out.after = *std::move(broken);
    out.fault = name(fault);
    return out;
  }
  return std::nullopt;
}

Case annotated_pair(const Story& s, bool annotated) {
  Draft before = s.before, after = s.after;
  if (annotated) annotate(before), annotate(after);
  return pair_of_drafts(before, after);
}

bool pair_probe(Probe& probe, Random& random) {
  const auto s = story(random, row_of(probe), random.chance(50), probe.kind == Probe::Kind::pair ? 65 : 30);
  if (!s) return false;
  probe.value = annotated_pair(*s, probe.kind == Probe::Kind::pair && random.chance(90));
  if (random.chance(25)) finals_of_copies(*probe.value.before);
  probe.value.sharing_may_grow = random.chance(10);
  Random boundary(~probe.seed);
  if (boundary.chance(25)) vary_boundary(probe.value, boundary);
  probe.fault = s->fault, probe.log = s->log;
  return probe.kind == Probe::Kind::pair || symbolise(probe.value, random);
}

bool dataflow_probe(Probe& probe, Random& random) {
  const bool damage = random.chance(50);
  auto s = story(random, row_of(probe), false);
  if (!s) return false;
  if (random.chance(25) && refresh(s->after)) add_barrier(s->after, random);
  probe.value = annotated_pair(*s, true);
  probe.fault = damage ? "drop-barrier" : "";
  Draft ran = s->after;
  return !s->after.rebinds && refresh(ran) && loosen(probe.value, ran, damage, random);
}

/// The other branch is the same program with a fault in both `before` and `after`, so that the branches
/// differ.
bool control_probe(Probe& probe, Random& random) {
  const auto s = story(random, row_of(probe), random.chance(50));
  if (!s || s->before.rebinds) return false;
  Draft other = s->before;
  if (auto changed = damaged(other, static_cast<Fault>(random.below(kFaults)), random)) other = *changed;
  if (!refresh(other)) return false;
  std::string log;
  const Draft other_after = rewritten(other, random, log);
  Draft before = s->before, after = s->after;
  annotate(before), annotate(after), annotate(other);
  Draft other_ran = other_after;
  annotate(other_ran);
  auto made = branched(before, after, other, other_ran);
  if (!made) return false;
  probe.value = *std::move(made);
  probe.fault = s->fault, probe.log = s->log + log;
  return true;
}

bool plan_probe(Probe& probe, Random& random) {
  if (random.chance(60)) probe.fault = kPlanFaults[static_cast<std::size_t>(random.below(4))];
  const bool table = random.chance(50);
  Draft program = random_program(random, true, table ? Vocabulary::table : Vocabulary::small,
                                 table ? std::optional(row_of(probe)) : std::nullopt);
  if (program.rebinds || !refresh(program)) return false;
  annotate(program);
  Case alone;
  alone.after = program.graph();
  if (may_be_undefined(alone, alone.after)) return false;  // to return unwritten data is a fault of its own
  auto made = planned(program, probe.fault, random);
  if (!made) return false;
  probe.value = *std::move(made);
  probe.difference = probe.fault;
  return true;
}

/// True if something that a caller observes may depend on the value.
bool is_live(const Draft& draft, int value) {
  std::set<int> needed;  // storages
  const auto storage = [&](int v) { return draft.shown.at(v).storage; };
  const auto is_needed = [&](int v) { return needed.contains(storage(v)); };
  for (const Draft::Entry& input : draft.inputs) needed.insert(storage(input.value));
  for (const int v : draft.outputs) needed.insert(storage(v));
  for (std::size_t k = draft.calls.size(); k-- > 0;) {
    const Draft::Call& call = draft.calls[k];
    const auto made = call.results(), given = operands(call), changed = written(call);
    if (std::any_of(made.begin(), made.end(), is_needed) ||
        std::any_of(changed.begin(), changed.end(), is_needed))
      for (const int v : given) needed.insert(storage(v));
  }
  return is_needed(value);
}

/// The dump of `after` states a dtype or a size that the operator does not produce.
bool metadata_probe(Probe& probe, Random& random) {
  auto s = story(random, row_of(probe), false);
  if (!s || s->after.rebinds || s->after.calls.empty() || !refresh(s->after)) return false;
  probe.value = annotated_pair(*s, true);
  Draft::Call& call = random.one_of(s->after.calls);
  if (call.result < 0 || !s->after.shown.at(call.result).known || !is_live(s->after, call.result))
    return false;
  const Shown& at = s->after.shown.at(call.result);
  if (count(at.shape) == 0) return false;  // without a rule, any type of an empty tensor may hold
  Graph& graph = probe.value.after;
  Value& value = graph.values.at(graph.find(s->after.prefix + std::to_string(call.result)).index);
  value.type = type_of(at);
  value.type.edit().dtype = at.dtype == Dtype::f32 ? Dtype::f64 : Dtype::f32;
  if (random.chance(50) && !at.shape.empty()) {
    value.type.edit().dtype = at.dtype;
    value.type.edit().shape.back() = SymExpr(at.shape.back() + 1);
  }
  probe.fault = "wrong-metadata";
  probe.difference = "metadata of " + value.name;
  return true;
}

/// No run can tell what the call does, so a call with another operand must not be proved.
bool foreign_probe(Probe& probe, Random& random) {
  const auto s = story(random, row_of(probe), false);
  if (!s) return false;
  probe.value = annotated_pair(*s, random.chance(90));
  probe.log = s->log;
  const bool damage = random.chance(30);
  if (!append_foreign(probe.value, probe.seed % foreign_calls(), damage)) return false;
  if (!damage) return true;
  probe.fault = "other-operand";
  probe.difference = "an operand of a call that nobody knows";
  return true;
}

bool leaving_probe(Probe& probe, Random& random) {
  const auto s = story(random, row_of(probe), false);
  if (!s || s->before.rebinds) return false;
  probe.value = annotated_pair(*s, true);
  probe.fault = random.chance(60) ? "early-return" : "";
  probe.log = s->log;
  return leave_by_step(probe.value, !probe.fault.empty());
}

/// The register program accompanies a graph that returns its input.
bool registers_probe(Probe& probe, Random& random) {
  if (random.chance(75)) probe.fault = kRegisterFaults[static_cast<std::size_t>(random.below(3))];
  Draft draft;
  draft.shown[0] = {0, Dtype::f32, {2}, {1}, 0, true};
  draft.inputs.push_back({0, "x0", "", std::nullopt});
  draft.values = draft.storages = 1;
  draft.outputs = {0};
  probe.value.after = draft.graph();
  probe.value.registers.push_back(random_registers(random, probe.fault));
  probe.difference = probe.fault;
  return true;
}

bool loop_probe(Probe& probe, Random& random) {
  probe.fault = random.chance(50) ? "some" : "";
  auto made = looped(random, probe.fault);
  if (!made) return false;
  probe.value = *std::move(made);
  return true;
}

/// A single graph, in which each name means the value computed under it.
bool alone_probe(Probe& probe, Random& random) {
  static constexpr Fault kWrites[] = {Fault::make_in_place, Fault::reuse_buffer};
  Draft draft = random_program(random, true, random.chance(50) ? Vocabulary::table : Vocabulary::small);
  if (draft.rebinds || !refresh(draft)) return false;
  if (random.chance(60)) {
    auto broken = damaged(draft, kWrites[random.below(2)], random);
    if (!broken) return false;
    draft = *std::move(broken);
    probe.fault = "name-reused";
  }
  // A write-back may reach an output; runs do not tell with which contents.
  if (probe.fault.empty() && std::any_of(draft.calls.begin(), draft.calls.end(), writes)) return false;
  annotate(draft);
  probe.value.after = draft.graph();
  for (Input& input : probe.value.after.inputs) input.may_write = true;
  probe.value.names_are_values = true;
  if (may_be_undefined(probe.value, probe.value.after)) return false;
  Case twice = probe.value;  // a step that overlaps its own operands is not determined
  twice.before = twice.after;
  const auto stale = stale_name(probe.value);
  if (probe.fault.empty() && !brute_force(twice).usable) return false;
  if (!stale || (probe.fault.empty() && !stale->empty())) return false;
  probe.difference = *stale;
  return true;
}

/// Kinds whose answer is known without a run of two graphs.
bool is_told_otherwise(Probe::Kind kind) {
  return kind == Probe::Kind::plan || kind == Probe::Kind::foreign || kind == Probe::Kind::registers ||
         kind == Probe::Kind::alone;
}

bool fill(Probe& probe, Random& random) {
  switch (probe.kind) {
    case Probe::Kind::pair:
    case Probe::Kind::symbolic:
      return pair_probe(probe, random);
    case Probe::Kind::dataflow:
      return dataflow_probe(probe, random);
    case Probe::Kind::control:
      return control_probe(probe, random);
    case Probe::Kind::plan:
      return plan_probe(probe, random);
    case Probe::Kind::metadata:
      return metadata_probe(probe, random);
    case Probe::Kind::foreign:
      return foreign_probe(probe, random);
    case Probe::Kind::leaving:
      return leaving_probe(probe, random);
    case Probe::Kind::registers:
      return registers_probe(probe, random);
    case Probe::Kind::loop:
      return loop_probe(probe, random);
    case Probe::Kind::alone:
      return alone_probe(probe, random);
  }
  return false;
}

}  // namespace

void annotate(Draft& draft) {
  if (draft.rebinds || !refresh(draft)) return;
  for (Draft::Call& call : draft.calls) {
    call.types.clear();
    const Schema* schema = find_schema(call.op);
    if (schema != nullptr && schema->has(Tag::dynamic_output_shape)) continue;  // only for these contents
    for (const int v : call.results()) call.types.push_back(type_of(draft.shown.at(v)));
  }
}

std::string_view name(Probe::Kind kind) {
  static constexpr std::string_view kNames[] = {"pair",      "symbolic", "dataflow", "control",
                                                "plan",      "metadata", "foreign",  "leaving",
                                                "registers", "loop",     "alone"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::string> fault_classes() {
  std::vector<std::string> out{"drop-barrier", "early-return", "name-reused", "other-operand",
                               "wrong-metadata"};
  for (int k = 0; k < kFaults; ++k) out.emplace_back(name(static_cast<Fault>(k)));
  for (const char* plan : kPlanFaults) out.emplace_back(plan);
  for (const char* registers : kRegisterFaults) out.emplace_back(registers);
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<Probe> make_probe(std::uint64_t seed) {
  Random random(seed ^ 0x6e6f636c6f62ULL);
  Probe out;
  out.seed = seed;
  out.kind = some_kind(random);
  if (!fill(out, random)) return std::nullopt;
  out.value.name = "fuzz-" + std::to_string(seed);
  out.value.source = "noclobber fuzz --start " + std::to_string(seed) + " --count 1";
  if (is_told_otherwise(out.kind)) return out;
  const BruteForce truth = brute_force(out.value);
  if (!truth.usable) return std::nullopt;
  if (!truth.difference.empty()) out.difference = truth.difference;
  return out;
}

}  // namespace noclobber::fuzz
