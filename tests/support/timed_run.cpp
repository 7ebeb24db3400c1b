#include "tests/support/timed_run.h"

#include <cstdio>
#include <ctime>

#include "src/formats/formats.h"
#include "src/interp/interp.h"

namespace noclobber::testing {
namespace {

const Case* longest(const TraceLog& log) {
  const Case* best = nullptr;
  for (const TraceCheck& check : log.checks)
    if (check.value && (!best || check.value->after.steps.size() > best->after.steps.size()))
      best = &*check.value;
  return best;
}

std::string outcome(const Result<Run>& run) {
  if (!run) return run.fault().message;
  if (run->raised) return run->raised->message;
  return run->unsupported.empty() ? "ran" : run->unsupported.front();
}

}  // namespace

std::string timed_run(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.fault().message;
  const TraceLog log = read_torch_trace(*text);
  const Case* value = longest(log);
  if (!value) return "no graph";
  RunOptions options;
  options.contents_seed = 1;
  options.work = std::int64_t{1} << 40;
  options.memory = std::int64_t{2} << 30;
  for (const auto& [name, range] : value->symbols) options.symbols[name] = range.hint.value_or(4);
  std::set<std::string> inputs;
  for (const Value& v : value->after.values) inputs.insert(v.name);
  const std::clock_t start = std::clock();
  const auto run = run_graph(*value, value->after, inputs, options);
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.2f", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  return std::to_string(value->after.steps.size()) + " steps " + seconds + " s " + outcome(run);
}

}  // namespace noclobber::testing
