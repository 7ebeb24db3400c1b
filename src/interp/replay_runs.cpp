#include "src/interp/replay_runs.h"

namespace noclobber {

namespace {

constexpr std::uint64_t kGarbageSeeds = 24;

std::vector<std::string> input_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Input& input : graph.inputs) names.push_back(graph.value(input.value).name);
  return names;
}

}  // namespace

PairRuns::PairRuns(Session& session)
    : session_(session), value_(session.value), before_(*session.value.before) {
  same_inputs_ = input_names(before_) == input_names(value_.after);
}

RunOptions PairRuns::options_of(const Trial& trial, bool turned) {
  RunOptions options;
  options.symbols = trial.symbols;
  options.contents_seed = trial.contents_seed;
  options.garbage_seed = turned ? 2 : 1;
  options.backwards = turned;
  return options;
}

RunOptions PairRuns::options_after(const Trial& trial, bool turned) {
  RunOptions options = options_of(trial, turned);
  if (same_inputs_) return options;
  Graph entry = before_;
  entry.steps.clear();
  entry.outputs.clear();
  entry.finals.clear();
  const std::optional<Run> run = session_.run(entry, options);
  if (!run) return options;
  for (const auto& [name, storage] : run->input_storage)
    options.contents[name] = run->storages[storage].bytes;
  return options;
}

void PairRuns::note_written(const Run& run) {
  for (const auto& [name, storage] : run.input_storage)
    if (run.written.contains(storage)) written_.insert(name);
  for (const Input& input : value_.after.inputs) {
    const std::string& name = value_.after.value(input.value).name;
    if (input.may_write.value_or(written_.contains(name))) session_.may_write.insert(name);
  }
  session_.free_inputs = free_at_exit(value_, written_);
}

std::optional<Expectation> PairRuns::meant_by(const Trial& trial, std::optional<Run>& first) {
  first = session_.run(before_, options_of(trial, false));
  if (!first || first->raised) return std::nullopt;
  note_written(*first);
  Expectation expected = expectation_of(before_, *first, session_.free_inputs);
  const std::optional<Run> second = session_.run(before_, options_of(trial, true));
  if (!second || second->raised) return std::nullopt;
  narrow(expected, before_, *second);
  return expected;
}

bool PairRuns::narrow_further(Expectation& expected, const Trial& trial) {
  if (!may_be_undefined(value_, before_)) return true;
  for (std::uint64_t seed = 3; seed < kGarbageSeeds; ++seed) {
    RunOptions options = options_of(trial, false);
    options.garbage_seed = seed;
    const std::optional<Run> run = session_.run(before_, options);
    if (!run || run->raised) return false;
    narrow(expected, before_, *run);
    // Undefined bytes may agree by chance: most numbers have no logit, so their results are all NaN.
    keep_defined(expected, *run);
  }
  return true;
}

std::vector<Difference> PairRuns::compare(const Case& value, const Expectation& expected, const Run& run) {
  if (!run.raised) return differences(value, expected, run);
  Difference d;
  d.kind = Difference::Kind::raised;
  d.step = run.raised_at;
  d.expected = "no error";
  d.actual = run.raised->message;
  return {d};
}

}  // namespace noclobber
