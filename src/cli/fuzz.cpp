// `fuzz`: examines seeds on several threads, writes contradictions and prints the score.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "checker/check.h"
#include "checker/kernel/certificate.h"
#include "checker/text/read.h"
#include "src/cli/commands.h"
#include "src/cli/fuzz_pass.h"
#include "src/formats/case/case_json.h"
#include "src/fuzz/campaign.h"
#include "src/fuzz/explore.h"
#include "src/fuzz/reduce.h"
#include "src/prover/solver.h"
#include "src/report/evidence_kinds.h"
#include "src/report/names.h"
#include "src/run/output.h"
#include "src/run/runner.h"
#include "src/run/sink.h"
#include "src/text/file.h"

namespace noclobber {
namespace {

namespace fs = std::filesystem;
using fuzz::Contradiction;
using Clock = std::chrono::steady_clock;

constexpr int kContradiction = 4;

/// The text of a file, which may be missing.
std::string content_of(const fs::path& path) {
  const auto text = read_file(path);
  return text ? *text : "";
}

constexpr std::uint64_t kNoSeed = std::numeric_limits<std::uint64_t>::max();
thread_local std::uint64_t seed_at_work = kNoSeed;

/// With --certificate, writes each certificate as DIR/SEED.WORD.cert; WORD is the answer of nc-check.
void keep(const std::string& folder, const std::string& text, checker::Answer::Said said) {
  if (folder.empty()) return;
  using Said = checker::Answer::Said;
  const char* const word = said == Said::proved       ? "proved"
                           : said == Said::refuted    ? "refuted"
                           : said == Said::unreadable ? "unreadable"
                                                      : "open";
  write_or_error(fs::path(folder) / fmt::format("{}.{}.cert", seed_at_work, word), text);
}

/// How the answer of nc-check to a certificate contradicts the status of the check; "" if it does not.
std::string disagreement(const checker::Answer& said, Status status) {
  using Said = checker::Answer::Said;
  if (said.said == Said::unreadable) return "nc-check cannot read the certificate: " + said.why;
  if (said.said == Said::refuted) return status == Status::refuted ? "" : "a refutation for what was proved";
  const bool proved = said.said == Said::proved;
  if (status == Status::proved && !proved) return "nc-check says not proved: " + said.why;
  return status == Status::refuted && proved ? "nc-check proves what was refuted" : "";
}

/// A folder of this process for certificates, removed at the end.
struct Scratch {
  fs::path folder;
  std::error_code fault;
  Scratch() {
    folder = fs::temp_directory_path(fault);
    if (!fault) fs::create_directories(folder /= fmt::format("noclobber-fuzz-{}", getpid()), fault);
  }
  ~Scratch() {
    std::error_code ignored;
    if (!fault) fs::remove_all(folder, ignored);
  }
};

fuzz::Checker checker_of(const CheckOptions& base, const fs::path& folder, const std::string& kept) {
  fuzz::Checker out;
  out.check = [base](const Case& value, fuzz::Way way, bool& alarm) {
    CheckOptions options = base;
    options.solver_only = way == fuzz::Way::by_solver || way == fuzz::Way::starved;
    if (way == fuzz::Way::starved) options.effort = 1;
    options.advise = way == fuzz::Way::advising;
    return check_case(value, options, alarm);
  };
  out.certificate = [base, folder, kept](const Case& value, Status status) {
    CheckOptions options = base;
    options.certificates = folder.string();
    options.certificate_name = fmt::format("{}", std::hash<std::thread::id>()(std::this_thread::get_id()));
    bool alarm = false;
    check_case(value, options, alarm);
    Space space;
    const std::string text = content_of(folder / (options.certificate_name + ".cert"));
    const checker::Answer answer = checker::check(text, space);
    keep(kept, text, answer.said);
    fuzz::Certified said{disagreement(answer, status), {}};
    if (answer.said != checker::Answer::Said::unreadable)
      said.evidence = evidence_kinds(space, checker::read(space, text, false));
    return said;
  };
  return out;
}

/// The fingerprints in a file: one per line, with `#` comments.
std::set<std::string> known_of(const std::string& text) {
  std::set<std::string> out;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (std::string word = line.substr(0, line.find_first_of(" \t#")); !word.empty()) out.insert(word);
  return out;
}

/// Signal handler that prints the seed of a crash, without which the crash of a long campaign is lost.
void name_seed(int signal) {
  char text[160];  // nothing is allocated here: a crash may be one of the allocator
  const auto seed = static_cast<unsigned long long>(seed_at_work);
  const int size =
      seed_at_work == kNoSeed
          ? std::snprintf(text, sizeof text, "noclobber: signal %d outside of a seed\n", signal)
          : std::snprintf(text, sizeof text,
                          "noclobber: signal %d at seed %llu; again: noclobber fuzz --start %llu "
                          "--count 1\n",
                          signal, seed, seed);
  static_cast<void>(!write(STDERR_FILENO, text, static_cast<std::size_t>(size)));
  _exit(kContradiction);
}

void name_seed_of_crash() {
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, name_seed);
}

/// The state that the threads of one run share. Results are taken in the order of seeds.
class FuzzRun {
 public:
  FuzzRun(const Options& options, fuzz::Checker checker, std::set<std::string> known, std::FILE* records)
      : options_(options),
        checker_(std::move(checker)),
        known_(std::move(known)),
        records_(records),
        next_(options.start),
        taken_(options.start) {
    if (!options.certificate.empty()) depth_ = fuzz::Depth{0, 1, 0, 0, 0, 0, 0};
    if (options.count > 0) last_ = options.start + options.count;
    if (options.time > 0) deadline_ = start_ + std::chrono::seconds(options.time);
    if (options.count == 0 && options.time == 0) last_ = options.start + 1000;
  }

  void run() {
    const std::uint64_t jobs =
        options_.jobs != 0 ? options_.jobs : std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (std::uint64_t k = 0; k < jobs; ++k) threads.emplace_back([this] { work(); });
    for (std::thread& thread : threads) thread.join();
  }

  const fuzz::Score& score() const { return score_; }
  std::size_t found() const { return seen_.size(); }
  std::size_t known() const { return known_seen_; }

 private:
  void work() {
    for (;;) {
      const std::uint64_t seed = next_++;
      if ((last_ && seed >= *last_) || (deadline_ && Clock::now() >= *deadline_)) return;
      seed_at_work = seed;
      auto one = fuzz::examine(seed, checker_, depth_);
      const std::lock_guard lock(mutex_);
      waiting_.emplace(seed, std::move(one));
      for (auto at = waiting_.find(taken_); at != waiting_.end(); at = waiting_.find(++taken_)) {
        take(at->second);
        waiting_.erase(at);
      }
      narrate();
    }
  }

  void take(const fuzz::Examined& one) {
    score_.add(one);
    if (!options_.explain_unknown.empty() && one.usable && one.status == Status::unknown) show_unknown(one);
    for (const Contradiction& c : one.contradictions) {
      if (known_.contains(c.fingerprint)) {
        ++known_seen_;
      } else if (seen_.insert(c.fingerprint).second) {
        report(c);
      }
    }
  }

  void show_unknown(const fuzz::Examined& one) {
    const std::string about = one.beyond                ? "unsupported"
                              : one.probe.fault.empty() ? "sound"
                                                        : one.probe.fault;
    for (const Unknown& u : one.record.unknown)
      for (const std::string& who : u.names) {
        if ((u.reason + " " + who).find(options_.explain_unknown) == std::string::npos) continue;
        const std::string kind(name(one.probe.kind));
        if (options_.json)
          print_record(stdout, record_text({{"schema", "noclobber.fuzz/1"},
                                            {"kind", "unknown"},
                                            {"seed", one.probe.seed},
                                            {"program", kind},
                                            {"about", about},
                                            {"reason", u.reason},
                                            {"name", who}}));
        else
          write_out(stdout, fmt::format("seed {} {} {}: {} {}\n", one.probe.seed, kind, about, u.reason,
                                        printable(who)));
      }
  }

  void report(const Contradiction& c) {
    const fs::path folder(options_.out.empty() ? "fuzz-findings" : options_.out);
    const std::string stem = fmt::format("{}-{}", c.kind, c.seed);
    write_or_error(folder / (stem + ".json"), write_case_json(c.value));
    write_or_error(folder / (stem + ".min.json"), write_case_json(c.reduced));
    const std::string record = record_text({{"schema", "noclobber.fuzz/1"},
                                            {"kind", "contradiction"},
                                            {"what", c.kind},
                                            {"seed", c.seed},
                                            {"fault", c.fault},
                                            {"message", c.text},
                                            {"fingerprint", c.fingerprint},
                                            {"case", (folder / (stem + ".json")).string()}});
    if (records_ != nullptr) print_record(records_, record);
    if (options_.json) return print_record(stdout, record);
    write_out(stdout,
              fmt::format("contradiction[{}] {} seed {}{}: {}\n  {} -> {}\n  written to {}/{}.json and "
                          ".min.json; again: noclobber fuzz --start {} --count 1\n",
                          c.kind, c.fingerprint, c.seed, c.fault.empty() ? "" : ", fault " + c.fault,
                          printable(c.text), fuzz::size_of(c.value).text(), fuzz::size_of(c.reduced).text(),
                          folder.string(), stem, c.seed));
    std::fflush(stdout);
  }

  void narrate() {
    const auto now = Clock::now();
    if (now - said_ < std::chrono::seconds(30)) return;
    said_ = now;
    write_out(stderr,
              fmt::format("noclobber: {} checks of {} seeds, {} contradictions, {:.0f} s\n", score_.checks,
                          score_.seeds, seen_.size(), std::chrono::duration<double>(now - start_).count()));
  }

  const Options& options_;
  const fuzz::Checker checker_;
  const std::set<std::string> known_;
  std::FILE* const records_;
  fuzz::Depth depth_;
  Clock::time_point start_ = Clock::now(), said_ = start_;
  std::optional<Clock::time_point> deadline_;
  std::optional<std::uint64_t> last_;
  std::atomic<std::uint64_t> next_;
  std::uint64_t taken_;
  std::mutex mutex_;
  std::map<std::uint64_t, fuzz::Examined> waiting_;
  fuzz::Score score_;
  std::set<std::string> seen_;
  std::size_t known_seen_ = 0;
};

/// Writes each case as STEM-K.json, and prints the difference that a run shows, if any.
void write_undecided(const fs::path& stem, const std::vector<std::pair<std::string, Case>>& cases) {
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const auto& [difference, value] = cases[k];
    const std::string path = fmt::format("{}-{}.json", stem.string(), k);
    write_or_error(path, write_case_json(value));
    if (!difference.empty()) fmt::print("  open, but {}; written to {}\n", difference, path);
  }
}

/// Checks all programs of 1, 2, ... steps up to --exhaustive, until --time is over.
int run_exhaustive(const Options& options, const CheckOptions& check) {
  std::map<std::string, std::uint64_t> reasons;
  std::uint64_t alarms = 0;
  const auto judge_case = [&](const Case& value) {
    bool alarm = false;
    const CheckRecord record = check_case(value, check, alarm);
    alarms += alarm ? 1 : 0;
    std::set<std::string> own;
    for (const Unknown& u : record.unknown) own.insert(u.reason);
    for (const std::string& reason : own) ++reasons[reason];
    return record.status;
  };
  const auto deadline = Clock::now() + std::chrono::seconds(options.time > 0 ? options.time : 1U << 30U);
  std::uint64_t wrong = 0;
  for (std::uint64_t steps = 1; steps <= options.exhaustive; ++steps) {
    fuzz::Explorer explorer(judge_case, [&] { return Clock::now() < deadline; });
    const bool whole = explorer.rewrites(static_cast<int>(steps)) &&
                       explorer.plans(static_cast<int>(steps), static_cast<int>(options.buffers));
    fmt::print("{} steps, {} buffers{}: {}\n", steps, options.buffers, whole ? "" : " (cut short by --time)",
               explorer.count().text());
    for (const auto& [reason, count] : reasons) fmt::print("  open for {}: {}\n", reason, count);
    reasons.clear();
    wrong += explorer.count().wrong;
    const fs::path folder(options.out.empty() ? "fuzz-findings" : options.out);
    write_undecided(folder / fmt::format("open-{}", steps), explorer.undecided());
    write_undecided(folder / fmt::format("shown-{}", steps), explorer.undecided_but_shown());
    for (const auto& [why, value] : explorer.wrong()) {
      write_or_error(folder / (value.name + ".json"), write_case_json(value));
      fmt::print("contradiction[exhaustive] {}: {}; written to {}\n", value.name, why, folder.string());
    }
    if (!whole) break;
  }
  if (alarms > 0) fmt::print("{} proofs that a run contradicts\n", alarms);
  return wrong + alarms > 0 ? kContradiction : 0;
}

/// Examines the seeds of a campaign against this program and prints the score.
int run_seeds(const Options& options, CheckOptions check) {
  auto known = options.known.empty() ? Result<std::string>(std::string()) : read_file(options.known);
  if (!known) {
    print_error(options.known, "", known.fault().message);
    return kUsageError;
  }
  const RecordsFile records(options.records);
  if (!options.records.empty() && records.get() == nullptr) return kUsageError;
  const Scratch scratch;
  if (scratch.fault) {
    print_error(scratch.folder.string(), "", "no folder for temporary files: " + scratch.fault.message());
    return kUsageError;
  }
  name_seed_of_crash();
  check.certificates.clear();
  FuzzRun run(options, checker_of(check, scratch.folder, options.certificate), known_of(*known),
              records.get());
  run.run();
  if (records.get() != nullptr) print_record(records.get(), run.score().json());
  write_out(stdout, options.json ? run.score().json() + "\n" : run.score().text());
  if (!options.json) fmt::print("{} contradictions, {} known\n", run.found(), run.known());
  const bool recorded = records.get() == nullptr || records_written(records.get(), options.records);
  return run.found() > 0 ? kContradiction : recorded ? 0 : kUsageError;
}

}  // namespace

int run_fuzz(const Options& options) {
  auto check = check_options(options);
  if (!check) {
    print_error(check.fault().where, "", check.fault().message);
    return kUsageError;
  }
  if (const std::string fault = solver_fault(); !fault.empty()) {  // half of the cross-checks need it
    print_error("fuzz", "no solver", fault);
    return kUsageError;
  }
  if (check->run == CheckOptions::Runs::automatic) check->run = CheckOptions::Runs::always;
  if (!options.pass.empty() || !options.planner.empty()) return run_fuzz_pass(options, *check);
  if (!options.emit.empty()) return run_emit(options);
  if (!options.profile.empty() || !options.corpus.empty() || options.persistent) {
    print_error(
        "fuzz", "",
        "--profile, --corpus and --persistent are about a pass or planner: --pass or --planner names it");
    return kUsageError;
  }
  if (options.exhaustive > 0) return run_exhaustive(options, *check);
  return run_seeds(options, *std::move(check));
}

}  // namespace noclobber
