// Compares runs of `after` with runs of `before`.
#include <algorithm>

#include "src/interp/replay_runs.h"

namespace noclobber {

namespace {

/// Further trials after the first with a witness, and after the first with approximated differences alone.
constexpr int kFurtherTrials = 4;
constexpr int kFurtherDoubts = 2;

class Pair : PairRuns {
 public:
  explicit Pair(Session& session) : PairRuns(session) {}

  void search() {
    find_written();
    std::size_t most = 8;
    int further = kFurtherTrials, doubts = kFurtherDoubts;
    std::size_t made = 0;
    for (const Trial& trial : trials(value_, session_.hint, kMostTrials)) {
      if (made >= most) break;
      const std::size_t known = session_.result.witnesses.size();
      const std::optional<std::size_t> afford = attempt(trial, true);
      if (session_.result.unsupported) return;
      if (!afford) continue;
      ++made;
      most = *afford;
      if (known == 0 && !session_.result.witnesses.empty() && !session_.hint.seed) shrink(trial);
      if (!session_.result.witnesses.empty() && further-- == 0) return;
      if (session_.result.witnesses.empty() && session_.result.approximated && doubts-- == 0) return;
    }
    if (made > 0) blame_spelling();
  }

 private:
  /// For a failed proof whose runs all agree: operators that one graph uses and the other does not may differ
  /// by less than these runs can detect.
  void blame_spelling() {
    ReplayResult& result = session_.result;
    if (!result.witnesses.empty() || result.approximated || unmatched_.empty()) return;
    result.approximated = true;
    result.names.assign(unmatched_.begin(), unmatched_.end());
  }

  /// Records the inputs that some run of `before` writes. `after` may write them, and must leave the same
  /// contents.
  void find_written() {
    for (const auto& [input, contents] : before_.finals) written_.insert(before_.value(input).name);
    std::size_t tries = 6;
    for (const Trial& trial : trials(value_, session_.hint, 24)) {
      if (tries-- == 0) break;
      const std::optional<Run> run = session_.run(before_, options_of(trial, false));
      if (!run) continue;
      note_written(*run);
      if (!run->raised) tries = std::min(tries, affordable_trials(before_, *run) - 1);
    }
  }

  /// Compares one run of `after`, and explains the differences. True if there is one that counts.
  bool judge(const Expectation& rough, const Trial& trial, const Run& before, const RunOptions& options,
             const Run& after, bool explaining) {
    if (compare(value_, rough, after).empty()) return false;
    Expectation expected = rough;
    if (!narrow_further(expected, trial)) return false;
    std::vector<Difference> found = compare(value_, expected, after);
    if (found.empty()) return false;
    int variants = kVariantRuns;
    const Ran then{&before_, &before}, now{&value_.after, &after};
    const Guard guard(value_, session_.ops, then, now);
    if (!explaining) {
      return std::any_of(found.begin(), found.end(),
                         [&](const Difference& d) { return guard.doubts(d, expected).empty(); });
    }
    const Scene scene{value_, session_.ops, session_.may_write, expected, then, now, options, variants};
    return explain(session_, scene, std::move(found), &guard);
  }

  /// The number of affordable trials; empty if this one could not be made. `shown` is set if `after` differs.
  std::optional<std::size_t> attempt(const Trial& trial, bool explaining, bool* shown = nullptr) {
    std::optional<Run> before;
    const std::optional<Expectation> meant = meant_by(trial, before);
    if (!meant) return std::nullopt;
    std::optional<Run> listed;
    bool clean = true;
    for (const bool turned : {false, true}) {
      const RunOptions options = options_after(trial, turned);
      std::optional<Run> after = session_.run(value_.after, options);
      if (!after) return std::nullopt;
      if (judge(*meant, trial, *before, options, *after, explaining)) {
        clean = false;
        if (shown != nullptr) *shown = true;
      }
      if (!turned) listed = std::move(after);
    }
    if (explaining && !listed->raised) {
      int none = 0;
      explain_told(session_, {value_,
                              session_.ops,
                              session_.may_write,
                              *meant,
                              {&before_, &*before},
                              {&value_.after, &*listed},
                              options_after(trial, false),
                              none});
    }
    if (clean)
      unmatched_ = Guard(value_, session_.ops, {&before_, &*before}, {&value_.after, &*listed}).unmatched();
    if (value_.dataflow && explaining && !listed->raised) {
      clean ? try_orders(*meant, trial, *before, *listed) : try_right_orders(*meant, trial, *before, *listed);
    }
    return affordable_trials(value_.after, *listed);
  }

  void try_orders(const Expectation& meant, const Trial& trial, const Run& before, const Run& listed) {
    for (const Swap& swap : unordered_conflicts(session_.ops, {&value_.after, &listed}, kMostOrders)) {
      RunOptions options = options_after(trial, false);
      options.order = swap.order;
      const std::optional<Run> after = session_.run(value_.after, options);
      if (!after || after->raised) continue;
      std::vector<Difference> found = compare(value_, meant, *after);
      Expectation expected = meant;
      if (found.empty() || !narrow_further(expected, trial)) continue;
      found = compare(value_, expected, *after);
      if (found.empty()) continue;
      int none = 0;
      const Ran then{&before_, &before}, now{&value_.after, &*after};
      const Scene scene{value_, session_.ops, session_.may_write, expected, then, now, options, none};
      const Guard guard(value_, session_.ops, then, now);
      if (!guard.doubts(found.front(), expected).empty()) continue;
      session_.add(order_witness(scene, swap, found.front()), scene, found.front());
    }
  }

  /// Called if the listed order is wrong: if another one is right, only the order is at fault.
  void try_right_orders(const Expectation& meant, const Trial& trial, const Run& before, const Run& listed) {
    const std::vector<Difference> found = compare(value_, meant, listed);
    if (found.empty() || session_.found("NC010")) return;
    for (Swap swap : unordered_conflicts(session_.ops, {&value_.after, &listed}, kMostOrders)) {
      RunOptions options = options_after(trial, false);
      options.order = swap.order;
      const std::optional<Run> after = session_.run(value_.after, options);
      if (!after || after->raised || !compare(value_, meant, *after).empty()) continue;
      int none = 0;
      const RunOptions as_listed = options_after(trial, false);
      const Ran then{&before_, &before}, now{&value_.after, &listed};
      const Scene scene{value_, session_.ops, session_.may_write, meant, then, now, as_listed, none};
      std::swap(swap.first, swap.second);
      session_.add(order_witness(scene, swap, found.front()), scene, found.front());
      return;
    }
  }

  /// Searches for smaller sizes that differ as well, and explains the smallest.
  void shrink(Trial trial) {
    const std::vector<Witness> original = session_.result.witnesses;
    bool any = false;
    int tries = 12;
    for (bool again = true; again && tries > 0;) {
      again = false;
      for (const Symbols& less : smaller(value_, trial.symbols)) {
        if (tries-- <= 0) break;
        bool shown = false;
        const Trial next{less, trial.contents_seed};
        attempt(next, false, &shown);
        if (!shown) continue;
        trial = next;
        again = any = true;
        break;
      }
    }
    if (!any) return;
    session_.result.witnesses.clear();
    session_.settled.clear();
    attempt(trial, true);
    for (const Witness& w : original) {
      const auto same = [&](const Witness& now) {
        return fault_key(now) == fault_key(w) || (now.rule == w.rule && now.where == w.where);
      };
      if (std::ranges::any_of(session_.result.witnesses, same)) continue;
      session_.result.witnesses.push_back(w);
      session_.result.witnesses.back().follows = Witness::kItself;  // indices have changed
    }
  }

  std::set<std::string> unmatched_;  // of the last trial without a difference
};

}  // namespace

void replay_pair(Session& session) { Pair(session).search(); }

}  // namespace noclobber
