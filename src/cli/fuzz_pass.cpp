#include "src/cli/fuzz_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "src/cli/commands.h"
#include "src/cli/findings_of_pass.h"
#include "src/formats/case/case_json.h"
#include "src/fuzz/planning.h"
#include "src/fuzz/profiles.h"
#include "src/fuzz/subject.h"
#include "src/fuzz/trial.h"
#include "src/report/names.h"
#include "src/run/output.h"
#include "src/run/sink.h"
#include "src/text/file.h"

namespace noclobber {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kConvicted = 1, kAlarm = 4, kCutShort = 130;
constexpr std::uint64_t kDefaultPrograms = 1000;
constexpr std::uint64_t kTwiceEvery = 16;    // one of this many seeds is asked twice
constexpr std::uint64_t kAlwaysReduced = 6;  // findings of a rule; then those numbered 2^k
constexpr auto kNarrateEvery = std::chrono::seconds(30);

std::atomic<bool> stop_asked{false};

void ask_to_stop(int) { stop_asked.store(true); }

/// The first SIGINT or SIGTERM ends the campaign, the second ends the process.
void watch_for_stop() {
  struct sigaction action = {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

/// Writes the question about a program into the folder of --emit. Prints an error and returns false if that
/// fails.
bool write_question(const std::string& folder, std::uint64_t seed, const Case& program, fuzz::Form form) {
  const bool table = form == fuzz::Form::plan_table;
  const fuzz::Form written = form == fuzz::Form::fx_text ? fuzz::Form::case_json : form;
  return write_or_error(fs::path(folder) / fmt::format("{}.{}", seed, table ? "csv" : "json"),
                        fuzz::text_of_question(fuzz::question_of(program, form), written, false));
}

fuzz::Form form_of(const Options& options) {
  if (!options.planner.empty())
    return options.format == "csv" ? fuzz::Form::plan_table : fuzz::Form::plan_case;
  return options.format == "fx" ? fuzz::Form::fx_text : fuzz::Form::case_json;
}

const std::string& command_of(const Options& options) {
  return options.planner.empty() ? options.pass : options.planner;
}

struct PassScore {
  std::uint64_t seeds = 0, programs = 0, proved = 0, refuted = 0, unknown = 0, beyond = 0;
  std::map<std::string, std::uint64_t> others;   // findings other than refutations, by kind
  std::map<std::string, std::uint64_t> reasons;  // reasons for unknown
  std::map<std::string, std::uint64_t> rules;    // causes of refutations, by rule
};

/// The state of one campaign. Results are taken in the order of seeds.
class PassRun {
 public:
  PassRun(const Options& options, CheckOptions check, std::vector<std::string> profiles, std::FILE* records)
      : options_(options),
        check_(std::move(check)),
        profiles_(std::move(profiles)),
        form_(form_of(options)),
        own_channel_(command_of(options) == "-"),
        out_(own_channel_ ? stderr : stdout),
        records_(records),
        findings_(options.out.empty() ? "fuzz-findings" : options.out, check_, form_, options.json, out_,
                  records),
        next_(options.start),
        taken_(options.start) {
    if (options.count > 0) last_ = options.start + options.count;
    if (options.time > 0) deadline_ = start_ + std::chrono::seconds(options.time);
    if (options.count == 0 && options.time == 0) last_ = options.start + kDefaultPrograms;
  }

  int run() {
    watch_for_stop();
    fuzz::Subject subject = make_subject();
    reducer_ = &subject;
    if (!options_.corpus.empty()) try_corpus();
    const std::uint64_t asked =
        options_.jobs != 0 ? options_.jobs : std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (std::uint64_t k = 0; k < (own_channel_ ? 1 : asked); ++k) threads.emplace_back([this] { work(); });
    for (std::thread& thread : threads) thread.join();
    finish();
    return exit_code_of();
  }

 private:
  fuzz::Subject make_subject() const {
    return {command_of(options_), options_.persistent, static_cast<double>(options_.timeout), stop_asked};
  }

  fuzz::Judge judge_of(fuzz::Subject& subject) const {
    fuzz::Judge out;
    out.ask = [&subject](const std::string& question) { return subject.ask(question); };
    out.check = [this](const Case& value, bool& alarm) { return check_case(value, check_, alarm); };
    out.go_on = [] { return !stop_asked.load(); };
    out.form = form_;
    out.one_line = subject.persistent();
    return out;
  }

  bool is_over(std::uint64_t seed) const {
    return stop_asked.load() || absent_.load() || (last_ && seed >= *last_) ||
           (deadline_ && Clock::now() >= *deadline_);
  }

  void work() {
    std::optional<fuzz::Subject> own;
    if (!own_channel_)
      own.emplace(command_of(options_), options_.persistent, static_cast<double>(options_.timeout),
                  stop_asked);
    const fuzz::Judge judge = judge_of(own ? *own : *reducer_);
    for (;;) {
      const std::uint64_t seed = next_++;
      if (is_over(seed)) return;
      std::optional<fuzz::Trial> trial;
      if (const auto program = asked_of(seed)) {
        emit(seed, *program);
        trial = fuzz::try_program(*program, judge, seed % kTwiceEvery == 0);
      }
      if (stop_asked.load()) return;  // the answer may be missing
      const std::lock_guard lock(mutex_);
      waiting_.emplace(seed, std::move(trial));
      for (auto at = waiting_.find(taken_); at != waiting_.end(); at = waiting_.find(++taken_)) {
        take(at->first, at->second);
        waiting_.erase(at);
      }
      narrate();
    }
  }

  std::optional<Case> asked_of(std::uint64_t seed) const {
    return fuzz::is_planning(form_) ? fuzz::planning_problem(seed, profiles_, form_)
                                    : fuzz::program_of(seed, profiles_);
  }

  void emit(std::uint64_t seed, const Case& program) const {
    if (options_.emit.empty() || unwritten_.load()) return;
    if (!write_question(options_.emit, seed, program, form_)) unwritten_.store(true);
  }

  void take(std::uint64_t seed, const std::optional<fuzz::Trial>& trial) {
    ++score_.seeds;
    if (!trial) return;
    ++score_.programs;
    if (trial->is_absent && score_.programs == 1) return absent_.store(true);
    if (trial->alarm) return sound_alarm(seed, *trial);
    if (trial->is_finding()) return found(seed, *trial);
    if (trial->record.status == Status::proved) ++score_.proved;
    if (trial->is_beyond) ++score_.beyond;
    if (trial->record.status == Status::unknown && !trial->is_beyond) {
      ++score_.unknown;
      for (const Unknown& u : trial->record.unknown) ++score_.reasons[u.reason];
    }
  }

  void sound_alarm(std::uint64_t seed, const fuzz::Trial& trial) {
    ++alarms_;
    print_error("fuzz", fmt::format("seed {}", seed),
                "soundness alarm: a run contradicts a proof (" + trial.record.contradiction +
                    "); please report this");
  }

  void found(std::uint64_t seed, const fuzz::Trial& trial) {
    std::string group = trial.kind;
    if (trial.kind == "refuted") {
      ++score_.refuted;
      for (const Finding& finding : trial.record.findings)
        if (is_cause(finding)) ++score_.rules[finding.rule], group = finding.rule;
    } else {
      ++score_.others[trial.kind];
    }
    const std::uint64_t many = ++groups_[group];
    if (many > kAlwaysReduced && (many & (many - 1)) != 0) return;
    const fuzz::Reduced reduced = fuzz::reduce_trial(trial, judge_of(*reducer_), options_.reduction);
    const std::size_t before = findings_.clusters().size();
    findings_.add(seed, trial, reduced);
    if (findings_.clusters().size() > before) keep_in_corpus(reduced.trial);
  }

  /// Tries the programs of the corpus, which led to findings before. Removes those that no longer do, and
  /// those with the same cause as another.
  void try_corpus() {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(options_.corpus, ignored))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    const fuzz::Judge judge = judge_of(*reducer_);
    for (const fs::path& file : files) {
      const auto text = read_file(file.string());
      auto program = text ? read_case_json(*text) : Result<Case>(Diagnostic{});
      if (!program) continue;
      if (program->before) program->after = *program->before, program->before.reset();
      const fuzz::Trial trial = fuzz::try_program(*program, judge, false);
      const std::size_t before = findings_.clusters().size();
      ++score_.programs;
      if (trial.is_finding()) {
        ++(trial.kind == "refuted" ? score_.refuted : score_.others[trial.kind]);
        findings_.add(0, trial, {trial, true});
      }
      if (findings_.clusters().size() == before) fs::remove(file, ignored);
    }
  }

  void keep_in_corpus(const fuzz::Trial& trial) const {
    if (options_.corpus.empty()) return;
    const std::string name = fs::path(findings_.clusters().back().folder).filename().string();
    write_or_error(
        fs::path(options_.corpus) / fmt::format("{}-{}.json", name, findings_.clusters().back().seed),
        write_case_json(trial.question));
  }

  void narrate() {
    const auto now = Clock::now();
    if (options_.quiet || now - said_ < kNarrateEvery) return;
    said_ = now;
    write_out(stderr,
              fmt::format("noclobber: {} programs, {} causes, {:.0f} s\n", score_.programs,
                          findings_.clusters().size(), std::chrono::duration<double>(now - start_).count()));
  }

  void finish() {
    if (absent_.load()) return print_error("fuzz", command_of(options_), "the command cannot be run");
    const nlohmann::ordered_json line = summary();
    if (records_ != nullptr) {
      print_record(records_, record_text(line));
      if (!records_written(records_, options_.records)) unwritten_.store(true);
    }
    if (options_.json) return print_record(out_, record_text(line));
    std::string text =
        fmt::format("{} programs: {} proved, {} refuted, {} unknown, {} not supported", score_.programs,
                    score_.proved, score_.refuted, score_.unknown, score_.beyond);
    for (const auto& [kind, n] : score_.others) text += fmt::format(", {} {}", n, kind);
    text += stop_asked.load() ? " (interrupted)\n" : "\n";
    for (const auto& [reason, n] : score_.reasons) text += fmt::format("  unknown for {}: {}\n", reason, n);
    for (const Cluster& c : findings_.clusters())
      text += fmt::format("cause {}: {}, {} fingerprints, {} steps\n", c.folder, printable(c.cause),
                          c.fingerprints.size(), c.steps);
    write_out(out_, text);
  }

  nlohmann::ordered_json summary() const {
    nlohmann::ordered_json out{
        {"schema", "noclobber.fuzz/1"}, {"kind", "campaign"},      {"seeds", score_.seeds},
        {"programs", score_.programs},  {"proved", score_.proved}, {"refuted", score_.refuted},
        {"unknown", score_.unknown},    {"beyond", score_.beyond}, {"others", score_.others},
        {"reasons", score_.reasons},    {"rules", score_.rules},   {"alarms", alarms_}};
    out["interrupted"] = stop_asked.load();
    out["causes"] = nlohmann::ordered_json::array();
    for (const Cluster& c : findings_.clusters())
      out["causes"].push_back({{"what", c.kind},
                               {"cause", c.cause},
                               {"seed", c.seed},
                               {"steps", c.steps},
                               {"by_pass", c.by_pass},
                               {"reduced", c.reduced},
                               {"fingerprints", c.fingerprints},
                               {"folder", c.folder}});
    return out;
  }

  int exit_code_of() const {
    if (alarms_ > 0) return kAlarm;
    if (absent_.load()) return kUsageError;
    if (stop_asked.load()) return kCutShort;
    if (!findings_.clusters().empty()) return kConvicted;
    return score_.programs == 0 || unwritten_.load() ? kUsageError : 0;
  }

  const Options& options_;
  const CheckOptions check_;
  const std::vector<std::string> profiles_;
  const fuzz::Form form_;
  const bool own_channel_;
  std::FILE* const out_;
  std::FILE* const records_;
  PassFindings findings_;
  fuzz::Subject* reducer_ = nullptr;  // used by one thread at a time
  Clock::time_point start_ = Clock::now(), said_ = start_;
  std::optional<Clock::time_point> deadline_;
  std::optional<std::uint64_t> last_;
  std::atomic<std::uint64_t> next_;
  std::atomic<bool> absent_{false};
  mutable std::atomic<bool> unwritten_{false};
  std::uint64_t taken_;
  std::uint64_t alarms_ = 0;
  std::mutex mutex_;
  std::map<std::uint64_t, std::optional<fuzz::Trial>> waiting_;
  std::map<std::string, std::uint64_t> groups_;
  PassScore score_;
};

std::optional<std::vector<std::string>> profiles_or_error(const Options& options) {
  std::string unknown;
  auto out = fuzz::profiles_of(options.profile, unknown);
  if (!out)
    print_error("--profile", printable(unknown),
                fmt::format("is no profile; there are {}", fmt::join(fuzz::profile_names(), ", ")));
  return out;
}

}  // namespace

int run_fuzz_pass(const Options& options, const CheckOptions& check) {
  const bool planner = !options.planner.empty();
  if (planner && !options.pass.empty()) {
    print_error("fuzz", "", "--pass and --planner are two campaigns");
    return kUsageError;
  }
  if (options.format == (planner ? "fx" : "csv")) {
    print_error("--format", options.format,
                planner ? "is no form of plans" : "is the form of a planner's tables");
    return kUsageError;
  }
  auto profiles = profiles_or_error(options);
  if (!profiles) return kUsageError;
  const RecordsFile records(options.records);
  if (!options.records.empty() && records.get() == nullptr) return kUsageError;
  return PassRun(options, check, *std::move(profiles), records.get()).run();
}

int run_emit(const Options& options) {
  const auto profiles = profiles_or_error(options);
  if (!profiles) return kUsageError;
  const std::uint64_t many = options.count > 0 ? options.count : kDefaultPrograms;
  std::uint64_t written = 0;
  bool whole = true;
  for (std::uint64_t seed = options.start; seed < options.start + many; ++seed) {
    const auto program = fuzz::program_of(seed, *profiles);
    if (!program) continue;
    whole = write_question(options.emit, seed, *program, fuzz::Form::case_json);
    if (!whole) break;
    ++written;
  }
  fmt::print("{} programs written to {}\n", written, options.emit);
  return whole && written > 0 ? 0 : kUsageError;
}

}  // namespace noclobber
