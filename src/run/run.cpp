#include "src/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "src/base/check.h"
#include "src/report/change.h"
#include "src/report/names.h"
#include "src/run/output.h"
#include "src/run/reports.h"
#include "src/run/settings.h"
#include "src/run/sink.h"
#include "src/run/terminal.h"
#include "src/text/file.h"

namespace noclobber {

namespace {

constexpr int kInterrupted = 130;
constexpr std::size_t kShownTimes = 20;

FailOn fail_on_of(const std::string& text) {
  return text == "none" ? FailOn::none : text == "refuted" ? FailOn::refuted : FailOn::unknown;
}

FailOnChange fail_on_change_of(const std::string& text) {
  if (text == "none") return FailOnChange::none;
  if (text == "unknown") return FailOnChange::unknown;
  return text.empty() || text == "vanished" ? FailOnChange::vanished : FailOnChange::introduced;
}

void print_stats(const CheckRecord::Counts& counts) {
  write_out(stderr, fmt::format("noclobber: stats: {} steps, {} modelled, {} in place, {} storages, {} "
                                "obligations, {} by rule, {} by z3\n",
                                counts.steps, counts.modelled, counts.in_place, counts.storages,
                                counts.obligations, counts.by_rule, counts.by_z3));
}

void print_times(std::vector<std::pair<double, std::string>> times) {
  std::ranges::stable_sort(times, std::greater<>(), [](const auto& item) { return item.first; });
  if (times.size() > kShownTimes) times.resize(kShownTimes);
  for (const auto& [seconds, name] : times) {
    write_out(stderr, fmt::format("noclobber: time: {:9.3f} s  {}\n", seconds, printable(name)));
  }
}

/// The first refuted check of a recording.
struct FirstRefuted {
  std::string id, pass;
  std::uint64_t held = 0, open = 0;  // proved checks before it; unknown ones
};

/// One of the two runs of a comparison, or the only run.
struct OneRun {
  Sink sink;
  std::optional<FirstRefuted> first;
  double seconds = 0;
};

/// Adds an error to an empty run, and to one with fewer checks than --expect-checks.
void count_checks(Sink& sink, const Options& options) {
  const SummaryRecord& totals = sink.summary.totals;
  if (sink.summary.interrupted) return;
  const std::uint64_t made = totals.proved + totals.refuted + totals.unknown;
  const std::string input = options.inputs.size() == 1 ? options.inputs[0] : "";
  if (made + totals.error == 0) sink.take_error(input, {"", "nothing to check"});
  if (made < options.expect_checks)
    sink.take_error("",
                    {"--expect-checks", fmt::format("{} expected, {} made", options.expect_checks, made)});
}

/// Prints `line` to standard output if --json is given, and to the file of --records.
void print_both(const Sink& sink, const Options& options, const std::string& line) {
  if (options.json) print_record(stdout, line);
  if (sink.file != nullptr) print_record(sink.file, line);
}

void print_changes(const Comparison& difference, const Options& options, const OneRun& run, int exit) {
  const bool silent = options.quiet && exit == 0;
  if (!options.json && options.output_format == "text" && !silent) {
    const std::string text = to_text(difference, options.list, look_of(options));
    const std::uint64_t errors = run.sink.summary.totals.error;
    const std::string errors_text =
        errors == 0 ? "" : fmt::format("; {} error{}", errors, errors == 1 ? "" : "s");
    write_out(stdout, fmt::format("{}{} ({:.1f} s)\n", text, errors_text, run.seconds));
  }
  if (!options.json && run.sink.file == nullptr) return;
  for (const Change& change : difference.changes) print_both(run.sink, options, to_json(change));
  print_both(run.sink, options, to_json(difference, exit));
}

void print_first(const std::optional<FirstRefuted>& first) {
  if (!first) return write_out(stdout, "no recorded pass is refuted\n\n");
  const std::string open = first->open == 0 ? "" : fmt::format(", {} that nobody can judge", first->open);
  write_out(stdout, fmt::format("first refuted: {} ({})\n  after {} that hold{}\n\n",
                                printable(first->pass.empty() ? first->id : first->pass),
                                printable(first->id), first->held, open));
}

/// `compared`: the comparison was printed, and replaces the text of the run.
void print_state(const Sink& sink, const Options& options, double seconds, bool compared) {
  if (options.json) {
    if (!options.only_changes) print_record(stdout, to_json(sink.summary.totals));
  } else if (options.output_format != "text") {
    write_out(stdout, find_format(options.output_format)->render(sink.report));
  } else if (!compared) {
    write_out(stdout, to_text(sink.summary, seconds, look_of(options)));
  }
  if (sink.file != nullptr) print_record(sink.file, to_json(sink.summary.totals));
}

/// Prints the expired entries of the baseline as errors, and those that are no longer needed as notes.
void print_remarks(const Sink& sink, const std::string& file) {
  if (sink.baseline == nullptr) return;
  for (const Baseline::Remark& remark : sink.baseline->remarks())
    remark.expired ? print_error(file, remark.where, remark.text)
                   : print_note(file, remark.where, remark.text);
}

/// For `git bisect run`, 125 skips a commit that cannot be judged, and 128 or more ends the search.
int bisect_code(int code) { return code == 2 || code == 3 ? 125 : code == 4 ? 255 : code; }

/// Prints and writes everything that follows the last check. `old`: the run to compare with, or nullptr.
/// Returns the exit code.
int conclude(OneRun& run, const OneRun* old, const Options& options) {
  Sink& sink = run.sink;
  SummaryRecord& totals = sink.summary.totals;
  count_checks(sink, options);
  Comparison difference;
  if (old != nullptr) {
    totals.error += old->sink.summary.totals.error;
    const bool contradiction = sink.contradiction || old->sink.contradiction;
    difference = compare(old->sink.report, sink.report);
    if (sink.summary.interrupted)  // checks that were not reached are neither gone nor repaired
      std::erase_if(difference.changes, [](const Change& change) {
        return change.kind == Change::Kind::vanished || change.kind == Change::Kind::fixed;
      });
    totals.exit = exit_code(difference, totals, contradiction, fail_on_change_of(options.fail_on));
  } else {
    totals.exit = exit_code(totals, sink.contradiction, fail_on_of(options.fail_on));
  }
  if (sink.summary.interrupted && totals.exit != 4) totals.exit = kInterrupted;
  if (old != nullptr) print_changes(difference, options, run, totals.exit);
  if (options.until_refuted && !options.json && options.output_format == "text") print_first(run.first);
  if (old != nullptr) mark(sink.report, difference);
  sink.report.root = report_root();
  if (sink.keeps && !sink.summary.interrupted) sink.report.summary = totals;
  print_state(sink, options, run.seconds, old != nullptr);
  print_remarks(sink, options.baseline);
  const bool written = write_reports(options, sink.report);
  if (options.stats) print_stats(sink.summary.counts);
  if (options.timings) print_times(std::move(sink.times));
  const bool recorded = sink.file == nullptr || records_written(sink.file, options.records);
  const bool hides_nothing = totals.exit == 0 || totals.exit == 3;
  return (flush_output() && written && recorded) || !hides_nothing ? totals.exit : kUsageError;
}

/// Takes outcomes in order; with `until_refuted` ignores those after the first refuted check.
void take(OneRun& run, WorkSource& source, Outcome&& outcome, bool until_refuted) {
  if (run.first) return;
  if (until_refuted && outcome.record.status == Status::refuted) {
    const SummaryRecord& totals = run.sink.summary.totals;
    const auto& findings = outcome.record.findings;
    run.first = {outcome.record.id, findings.empty() ? "" : findings.front().pass, totals.proved,
                 totals.unknown};
    source.stop();
  }
  run.sink.take(std::move(outcome));
}

void go(WorkSource& source, const RunnerOptions& runner, OneRun& run, bool until_refuted = false) {
  const auto start = std::chrono::steady_clock::now();
  const bool whole = run_all(
      source, runner, [&](Outcome&& outcome) { take(run, source, std::move(outcome), until_refuted); });
  run.sink.summary.interrupted = !whole;
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Makes the run of --against, of which only errors are printed.
void run_old(const Options& options, RunnerOptions runner, OneRun& run) {
  runner.check.certificates.clear();
  runner.check.questions.clear();
  runner.check.advise = false;
  run.sink.json = options.json;
  run.sink.keeps = true;
  run.sink.summary.keep_records = false;
  auto input = input_options(options);
  NC_CHECK(static_cast<bool>(input), "the same options were read before");
  input->records = true;
  WorkSource source({options.against}, *std::move(input));
  go(source, runner, run);
  Options same = options;
  same.inputs = {options.against};
  same.expect_checks = 0;
  count_checks(run.sink, same);
}

Result<RunnerOptions> runner_options(const Options& options, bool advises) {
  const bool of_changes = options.fail_on == "introduced" || options.fail_on == "vanished";
  if (of_changes && options.against.empty())
    return Diagnostic{"--fail-on " + options.fail_on, "there is nothing to compare with: see --against"};
  auto check = check_options(options);
  if (!check) return check.fault();
  check->advise = advises;
  return RunnerOptions{*std::move(check), options.jobs, can_redraw(), options.quiet};
}

Result<Baseline> baseline_at(const std::string& path) {
  if (path.empty()) return Baseline();
  auto text = read_file(path, std::size_t{64} << 20);
  if (!text) return Diagnostic{path, text.fault().message};
  auto baseline = Baseline::read(*text, today());
  if (!baseline) return Diagnostic{path + ": " + baseline.fault().where, baseline.fault().message};
  return baseline;
}

[[noreturn]] void leave(int code) {
  std::fflush(stderr);
  std::_Exit(code);  // threads still run: what they use must not be destroyed
}

}  // namespace

static int run_as_asked(WorkSource& source, const Options& asked, bool advises) {
  Options options = asked;
  options.json = options.json || options.output_format == "json";
  auto runner = runner_options(options, advises);
  if (!runner) {
    print_error(runner.fault().where, "", runner.fault().message);
    return kUsageError;
  }
  auto baseline = baseline_at(options.baseline);
  if (!baseline) {
    print_error(baseline.fault().where, "", baseline.fault().message);
    return kUsageError;
  }
  watch_interrupts();
  const bool compares = !options.against.empty();
  OneRun old, run;
  if (compares) run_old(options, *runner, old);
  run.sink.json = options.json;
  run.sink.json_checks = options.json && !options.only_changes;
  if (!options.baseline.empty()) run.sink.baseline = &*baseline;
  run.sink.quiet = options.quiet;
  run.sink.keeps = compares || wants_report(options);
  run.sink.summary.keep_records = !options.json && !compares;
  const RecordsFile file(options.records);
  if (!options.records.empty() && file.get() == nullptr) return kUsageError;
  run.sink.file = file.get();
  const bool cut = old.sink.summary.interrupted;  // there is nothing to compare with: the old run is told
  if (cut)
    run.sink.summary.interrupted = true, run.sink.contradiction = old.sink.contradiction;
  else
    go(source, *runner, run, options.until_refuted);
  const int code = conclude(run, compares && !cut ? &old : nullptr, options);
  if (run.sink.summary.interrupted) leave(code);
  std::fflush(stderr);
  return code;
}

int run_source(WorkSource& source, const Options& options, bool advises) {
  const int code = run_as_asked(source, options, advises);
  return options.git_bisect ? bisect_code(code) : code;
}

}  // namespace noclobber
