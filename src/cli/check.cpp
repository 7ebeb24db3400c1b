// `check` and `compare`: run, report, exit code.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "src/cli/commands.h"
#include "src/cli/pairing.h"
#include "src/cli/runner.h"
#include "src/cli/terminal.h"
#include "src/cli/thunder_files.h"
#include "src/formats/formats.h"
#include "src/report/names.h"
#include "src/report/run_text.h"

namespace noclobber {

namespace {

constexpr int kInterrupted = 130;
constexpr std::size_t kShownTimes = 20;

/// Where outcomes go while a run goes on.
struct Sink {
  bool json = false;
  RunSummary summary;
  bool contradiction = false;
  std::vector<std::pair<double, std::string>> times;
  std::map<std::string, std::uint64_t> faults;  // findings so far, by fingerprint

  void take(Outcome&& outcome);
  void take_error(const std::string& input, const Diagnostic& fault);

 private:
  void take_record(Outcome&& outcome);
};

void print_json(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);  // what is known stays known, whatever happens next
}

void Sink::take_error(const std::string& input, const Diagnostic& fault) {
  print_error(input, fault.where, fault.message);
  if (json) print_json(to_json(ErrorRecord{input, fault.where, fault.message}));
  ++summary.totals.error;
}

/// Of a case that was read, but makes no sense.
Diagnostic fault_of(const CheckRecord& record) {
  std::string message;
  for (const Unknown& item : record.unknown) {
    for (const std::string& name : item.names) message += (message.empty() ? "" : "; ") + name;
  }
  return {record.id, message.empty() ? "cannot be checked" : message};
}

void Sink::take_record(Outcome&& outcome) {
  if (outcome.contradiction) {
    contradiction = true;
    print_error(outcome.input, outcome.record.id,
                "soundness alarm: a run contradicts a proof (" + outcome.record.contradiction +
                    "); please report this input");
  }
  if (outcome.record.status == Status::error) return take_error(outcome.input, fault_of(outcome.record));
  number_findings(outcome.record, faults);
  if (json) print_json(to_json(outcome.record));
  times.emplace_back(outcome.seconds, outcome.input + " " + outcome.record.id);
  summary.add(std::move(outcome.record));
}

void Sink::take(Outcome&& outcome) {
  summary.unchecked.insert(outcome.unchecked.begin(), outcome.unchecked.end());
  summary.totals.skipped += outcome.skipped;
  switch (outcome.kind) {
    case Work::Kind::check:
    case Work::Kind::plan:
    case Work::Kind::record:
      return take_record(std::move(outcome));
    case Work::Kind::error:
      return take_error(outcome.input, outcome.fault);
    case Work::Kind::note:
      if (!outcome.fault.message.empty()) {
        print_note(outcome.input, outcome.fault.where, outcome.fault.message);
      }
      return;
  }
}

FailOn fail_on_of(const std::string& text) {
  return text == "none" ? FailOn::none : text == "refuted" ? FailOn::refuted : FailOn::unknown;
}

void print_stats(const CheckRecord::Counts& counts) {
  fmt::print(stderr,
             "noclobber: stats: {} steps, {} modelled, {} in place, {} storages, {} obligations, {} by rule, "
             "{} by z3\n",
             counts.steps, counts.modelled, counts.in_place, counts.storages, counts.obligations,
             counts.by_rule, counts.by_z3);
}

void print_times(std::vector<std::pair<double, std::string>> times) {
  std::ranges::stable_sort(times, std::greater<>(), [](const auto& item) { return item.first; });
  if (times.size() > kShownTimes) times.resize(kShownTimes);
  for (const auto& [seconds, name] : times) {
    fmt::print(stderr, "noclobber: time: {:9.3f} s  {}\n", seconds, printable(name));
  }
}

/// Everything that is said after the last check. Returns the exit code.
int conclude(Sink& sink, const Options& options, double seconds) {
  RunSummary& summary = sink.summary;
  SummaryRecord& totals = summary.totals;
  const bool nothing = totals.proved + totals.refuted + totals.unknown + totals.error == 0;
  if (nothing && !summary.interrupted) {
    const std::string input = options.inputs.size() == 1 ? options.inputs[0] : "";
    sink.take_error(input, {"", "nothing to check"});
  }
  const std::uint64_t made = totals.proved + totals.refuted + totals.unknown;
  if (made < options.expect_checks && !summary.interrupted)
    sink.take_error("",
                    {"--expect-checks", fmt::format("{} expected, {} made", options.expect_checks, made)});
  totals.exit = exit_code(totals, sink.contradiction, fail_on_of(options.fail_on));
  if (summary.interrupted && totals.exit != 4) totals.exit = kInterrupted;
  if (options.json) {
    print_json(to_json(totals));
  } else {
    fmt::print("{}", to_text(summary, seconds, wants_colour(options.no_color)));
  }
  if (options.stats) print_stats(summary.counts);
  if (options.timings) print_times(std::move(sink.times));
  return flush_output() ? totals.exit : kUsageError;
}

int run_source(WorkSource& source, const Options& options, bool advises = false) {
  auto check = check_options(options);
  if (!check) {
    print_error(check.fault().where, "", check.fault().message);
    return kUsageError;
  }
  check->advise = advises;
  watch_interrupts();
  const auto start = std::chrono::steady_clock::now();
  Sink sink;
  sink.json = options.json;
  sink.summary.keep_records = !options.json;
  const RunnerOptions runner{*std::move(check), options.jobs, can_redraw()};
  const bool whole = run_all(source, runner, [&](Outcome&& outcome) { sink.take(std::move(outcome)); });
  sink.summary.interrupted = !whole;
  const auto time = std::chrono::steady_clock::now() - start;
  const int code = conclude(sink, options, std::chrono::duration<double>(time).count());
  std::fflush(stderr);
  if (!whole) std::_Exit(code);  // threads still run; nothing they hold may be destroyed
  return code;
}

}  // namespace

static int check_inputs(const Options& options, bool advises) {
  auto input = input_options(options);
  if (!input) {
    print_error("", input.fault().where, input.fault().message);
    return kUsageError;
  }
  WorkSource source(options.inputs, *std::move(input));
  return run_source(source, options, advises);
}

int run_check(const Options& options) { return check_inputs(options, false); }
int run_advise(const Options& options) { return check_inputs(options, true); }

/// One side of a comparison.
struct NamedText {
  std::string path, text;
};

/// Two Thunder traces; nothing if they are not.
static std::optional<Work> thunder_pair_of(const NamedText& before, const NamedText& after) {
  if (sniff(before.text) != InputKind::thunder || sniff(after.text) != InputKind::thunder)
    return std::nullopt;
  std::string inputs = thunder_inputs_beside(before.path);
  if (inputs.empty()) inputs = thunder_inputs_beside(after.path);
  auto value = read_thunder_pair({stem_of(before.path), before.text}, {"", after.text}, inputs);
  return value ? check_of(after.path, *std::move(value), "pair") : error_of(after.path, value.fault());
}

static Work work_of_texts(const NamedText& before, const NamedText& after) {
  if (auto traces = thunder_pair_of(before, after)) return *std::move(traces);
  auto left = read_side(before.text, true);
  if (!left) return error_of(before.path, left.fault());
  auto right = read_side(after.text, false);
  if (!right) return error_of(after.path, right.fault());
  auto pair = pair_of(*std::move(left), *std::move(right));
  if (!pair) return error_of(after.path, pair.fault());
  Work work = check_of(after.path, *std::move(pair), "pair");
  work.files = {before.path, after.path};
  if (work.value.plan) work.what = "plan";
  return work;
}

Work work_of_pair(const std::string& before, const std::string& after) {
  if (before == "-" && after == "-") return error_of("-", {"", "only one side can be standard input"});
  auto left = read_file(before);
  if (!left) return error_of(before, {"", left.fault().message});
  auto right = read_file(after);
  if (!right) return error_of(after, {"", right.fault().message});
  return work_of_texts({before, *std::move(left)}, {after, *std::move(right)});
}

int run_compare(const Options& options) {
  const auto input = input_options(options);
  if (!input) {
    print_error("", input.fault().where, input.fault().message);
    return kUsageError;
  }
  Work work = work_of_pair(options.inputs.at(0), options.inputs.at(1));
  if (input->dataflow) work.value.dataflow = *input->dataflow;
  std::deque<Work> works;
  if (work.kind != Work::Kind::check || input->only.accepts(work.id, 0)) works.push_back(std::move(work));
  WorkSource source(std::move(works));
  return run_source(source, options);
}

}  // namespace noclobber
