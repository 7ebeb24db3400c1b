#include "src/run/runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "src/base/check.h"
#include "src/check/assumptions.h"
#include "src/check/certificates.h"
#include "src/check/plan_findings.h"
#include "src/run/progress.h"
#include "src/run/repeated.h"

namespace noclobber {

namespace {

std::atomic<bool> interrupt_seen{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler stores it");

void on_interrupt(int) { interrupt_seen.store(true); }

constexpr std::uint64_t kMostJobs = 256;
constexpr auto kPoll = std::chrono::milliseconds(50);

std::uint64_t thread_count(std::uint64_t asked) {
  if (asked == 0) asked = std::max(1U, std::thread::hardware_concurrency());
  return std::min(asked, kMostJobs);
}

/// `known`: the answer of an equal check that is decided already.
Outcome outcome_of(Work&& work, CheckOptions options, std::string certificate,
                   std::optional<CheckRecord> known = std::nullopt) {
  if (!known) work.open();
  Outcome out;
  out.kind = work.kind;
  out.input = std::move(work.input);
  out.fault = std::move(work.fault);
  out.record = std::move(work.record);
  options.unwritten = &out.unwritten;
  if (work.kind == Work::Kind::check) {
    const auto start = Progress::Clock::now();
    options.certificate_name = std::move(certificate);
    options.files = work.files.empty() ? std::vector{out.input} : work.files;
    out.record = known ? *std::move(known) : check_case(std::move(work.value), options, out.contradiction);
    out.seconds = std::chrono::duration<double>(Progress::Clock::now() - start).count();
    out.record.input = out.input;
    out.record.id = std::move(work.id);
    out.record.what = std::move(work.what);
    if (work.files.size() == 2) out.record.before_input = work.files.front();
    out.record.unchecked = work.unchecked;
    if (out.record.version.empty()) out.record.version = NC_VERSION;
  } else if (work.kind == Work::Kind::plan) {
    const auto start = Progress::Clock::now();
    out.kind = Work::Kind::check;
    options.certificate_name = std::move(certificate);
    options.files = work.files.empty() ? std::vector{out.input} : work.files;
    out.record = check_plan_table(work.table, work.instance, work.capacity, options);
    out.seconds = std::chrono::duration<double>(Progress::Clock::now() - start).count();
    out.record.input = out.input;
    out.record.id = std::move(work.id);
    out.record.what = std::move(work.what);
    out.record.version = NC_VERSION;
  }
  if (work.kind == Work::Kind::record) out.contradiction = !out.record.contradiction.empty();
  if (options.strict) be_strict(out.record);
  out.unchecked = std::move(work.unchecked);
  out.skipped = work.skipped;
  return out;
}

/// The state of one run. It is destroyed after the last thread is done; after an interrupt, never.
class Workers {
 public:
  Workers(WorkSource& source, const RunnerOptions& options, const std::function<void(Outcome&&)>& sink)
      : source_(source),
        options_(options),
        sink_(sink),
        jobs_(thread_count(options.jobs)),
        progress_(options.progress_on_terminal, options.quiet) {}

  bool go() {
    start_thread();
    std::unique_lock lock(mutex_);
    while (active_ > 0 && !interrupt_seen.load()) {
      changed_.wait_for(lock, kPoll);
      if (progress_.due()) narrate();
    }
    progress_.clear();
    if (active_ > 0) return stop();
    lock.unlock();
    for (std::thread& thread : threads_) thread.join();
    return true;
  }

 private:
  using Clock = Progress::Clock;

  /// Stops after an interrupt. require: mutex_ is held.
  bool stop() {
    closed_ = true;
    for (auto& [sequence, outcome] : ready_) sink_(std::move(outcome));
    ready_.clear();
    for (std::thread& thread : threads_) thread.detach();
    return false;
  }

  void start_thread() {
    const std::lock_guard lock(mutex_);
    if (closed_ || threads_.size() >= jobs_) return;
    try {
      threads_.emplace_back([this] { work_until_done(); });
      ++active_;
    } catch (const std::system_error&) {  // the system gives no more threads
      NC_CHECK(!threads_.empty(), "not even one thread can be started");
      jobs_ = threads_.size();
    }
  }

  void work_until_done() {
    try {
      while (work_once()) continue;
    } catch (const std::exception& fault) {
      internal_error(__FILE__, __LINE__, fault.what());
    }
    const std::lock_guard lock(mutex_);
    --active_;
    changed_.notify_all();
  }

  bool work_once() {
    std::optional<Work> work;
    std::uint64_t sequence = 0;
    std::string certificate;
    {
      const std::lock_guard lock(source_mutex_);
      work = source_.next();
      if (!work) return false;
      sequence = taken_++;
      if (work->kind == Work::Kind::check || work->kind == Work::Kind::plan)
        certificate = certificates_.of(work->id);
    }
    start_thread();  // for the next piece of work
    begin(sequence, *work);
    decide(sequence, std::move(*work), std::move(certificate));
    return true;
  }

  /// The thread that decides a First also finishes the checks that wait for it. Answers are not shared if
  /// certificates, solver questions or rechecks are asked for, which every check needs by itself.
  void decide(std::uint64_t sequence, Work&& work, std::string certificate) {
    const CheckOptions& check = options_.check;
    const bool files = !check.certificates.empty() || !check.questions.empty() || !check.rechecker.empty();
    const auto [turn, first] = files ? std::pair{Repeated::Turn::decide, std::shared_ptr<Repeated::First>()}
                                     : repeated_.turn(sequence, work);
    if (turn == Repeated::Turn::leave) return;
    if (turn == Repeated::Turn::copy)
      return finish(sequence, outcome_of(std::move(work), check, std::move(certificate), first->answer));
    Outcome outcome = outcome_of(std::move(work), check, std::move(certificate));
    if (first)
      for (auto& [waited, same] : repeated_.settle(*first, outcome.record, outcome.contradiction))
        finish(waited, outcome_of(std::move(same), check, "", first->answer));
    finish(sequence, std::move(outcome));
  }

  void begin(std::uint64_t sequence, const Work& work) {
    if (work.kind != Work::Kind::check && work.kind != Work::Kind::plan) return;
    const std::lock_guard lock(mutex_);
    running_[sequence] = {work.input + " " + work.id, Clock::now()};
  }

  void finish(std::uint64_t sequence, Outcome&& outcome) {
    const std::lock_guard lock(mutex_);
    running_.erase(sequence);
    if (closed_) return;
    if (outcome.kind == Work::Kind::check) ++done_;
    ready_.emplace(sequence, std::move(outcome));
    while (!ready_.empty() && ready_.begin()->first == next_) {
      progress_.clear();
      sink_(std::move(ready_.begin()->second));
      ready_.erase(ready_.begin());
      ++next_;
    }
  }

  void narrate() {
    if (running_.empty()) return progress_.say(done_, "", 0);
    const auto& [name, start] = running_.begin()->second;  // the one taken first has run longest
    progress_.say(done_, name, std::chrono::duration<double>(Clock::now() - start).count());
  }

  WorkSource& source_;
  const RunnerOptions& options_;
  const std::function<void(Outcome&&)>& sink_;
  std::mutex source_mutex_;
  std::uint64_t taken_ = 0;        // under source_mutex_
  CertificateNames certificates_;  // under source_mutex_
  Repeated repeated_;

  std::mutex mutex_;  // guards all that follows
  std::condition_variable changed_;
  std::uint64_t jobs_;
  Progress progress_;
  std::vector<std::thread> threads_;
  std::uint64_t active_ = 0, done_ = 0, next_ = 0;
  bool closed_ = false;
  std::map<std::uint64_t, Outcome> ready_;
  std::map<std::uint64_t, std::pair<std::string, Clock::time_point>> running_;
};

}  // namespace

void watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

bool run_all(WorkSource& source, const RunnerOptions& options, const std::function<void(Outcome&&)>& sink) {
  auto run = std::make_unique<Workers>(source, options, sink);
  if (run->go()) return true;
  static_cast<void>(run.release());  // leaked, since threads still use it until the process ends
  return false;
}

}  // namespace noclobber
