#include "tests/support/timed_run.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "src/formats/case/case_json.h"
#include "src/interp/interp.h"
#include "src/lower/checks.h"
#include "src/lower/torch_trace/torch_trace.h"
#include "src/text/file.h"
#include "tests/support/traced.h"

namespace noclobber::testing {
namespace {

const Case* longest(const TraceLog& log) {
  const Case* best = nullptr;
  for (const TraceCheck& check : log.checks)
    if (check.value && (!best || check.value->after.steps.size() > best->after.steps.size()))
      best = &*check.value;
  return best;
}

/// Microseconds of processor time from a case's graphs to what the rules leave open.
double rules_take(const Case& value) {
  const auto now = [] {
    timespec at{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return static_cast<double>(at.tv_sec) * 1e6 + static_cast<double>(at.tv_nsec) / 1e3;
  };
  const double start = now();
  Modelled m;
  model(value, m);
  Terms terms(m.space);
  const Trace* before = m.traced.before ? &*m.traced.before : nullptr;
  Rules rules(m.space, terms, before, m.traced.after, m.boundary);
  decide(rules, enumerate(before, m.traced.after, m.boundary), {});
  return now() - start;
}

std::string outcome(const Result<Run>& run) {
  if (!run) return run.fault().message;
  if (run->raised) return run->raised->message;
  return run->unsupported.empty() ? "ran" : run->unsupported.front();
}

}  // namespace

std::string timed_run(const std::string& path) {
  auto text = read_file(path);
  if (!text) return text.fault().message;
  TraceLog log = read_torch_trace(*std::move(text));
  for (TraceCheck& check : log.checks) check.read();
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

std::string timed_rules(const std::string& folder) {
  std::vector<double> took;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto text = read_file(entry.path());
    const auto value = text ? read_case_json(*text) : Result<Case>(text.fault());
    if (!value) return entry.path().string() + ": " + value.fault().message;
    took.push_back(rules_take(*value));
  }
  if (took.empty()) return "no cases";
  std::sort(took.begin(), took.end());
  const auto within = std::upper_bound(took.begin(), took.end(), 1000.0) - took.begin();
  char out[128];
  std::snprintf(out, sizeof out, "%zu cases, median %.0f us, 99 %% within %.0f us, %.2f %% within 1 ms",
                took.size(), took[took.size() / 2], took[took.size() * 99 / 100],
                100.0 * static_cast<double>(within) / static_cast<double>(took.size()));
  return out;
}

}  // namespace noclobber::testing
