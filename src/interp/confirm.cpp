#include "src/interp/confirm.h"

#include <algorithm>

#include "src/interp/replay_runs.h"

namespace noclobber {

namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 50;
constexpr std::int64_t kUnknown = 64;   // elements assumed for a value without a type
constexpr std::int64_t kStepWork = 32;  // fixed cost of a step, in elements
constexpr std::int64_t kVisits = 3;     // visits of an element: one write, and the reads of its users
constexpr std::size_t kAssignments = 12;
constexpr std::size_t kOrders = 4;

std::int64_t elements_of(const SharedType& type, const Symbols& symbols) {
  std::int64_t n = 1;
  for (const SymExpr& extent : type->shape) {
    const auto size = extent.evaluate(symbols);
    if (!size || *size < 0 || __builtin_mul_overflow(n, *size, &n) || n > kMany) return kMany;
  }
  return n;
}

/// Contents that distinguish values come first. The others, mostly with smaller integers, are for graphs that
/// raise on them.
std::vector<std::uint64_t> seeds(bool second) {
  if (second) return {kTellingPositive};
  return {kTelling, kTellingSmall, 0, 1};
}

std::string text_of(const Case& value, const Difference& d) {
  using Kind = Difference::Kind;
  const std::string where = d.target.output >= 0     ? "output " + std::to_string(d.target.output)
                            : d.target.input.empty() ? "the run"
                                                     : d.target.input + " at exit";
  const std::string values = ": " + d.expected + " became " + d.actual;
  switch (d.kind) {
    case Kind::raised:
      return std::string(kAfterRaises) + d.actual;
    case Kind::sharing:
      return where + " shares storage that it did not share before";
    case Kind::immutable:
      return "step " + std::to_string(d.step + 1) + " of " +
             (value.after.name.empty() ? "after" : value.after.name) + " stores into what it may not write";
    case Kind::effects:
      return "effects" + values;
    case Kind::count:
      return "the number of outputs" + values;
    case Kind::dtype:
    case Kind::shape:
    case Kind::stride:
    case Kind::device:
    case Kind::value:
      break;
  }
  return where + values;
}

/// Runs of both graphs on the same contents.
class PairConfirmation : PairRuns {
 public:
  PairConfirmation(Session& session, const ConfirmOptions& options) : PairRuns(session), options_(options) {
    for (const auto& [input, contents] : before_.finals) written_.insert(before_.value(input).name);
  }

  /// The first difference, "" if there is none. Empty if a run could not be made, or `before` raises.
  std::optional<std::string> run(const Trial& trial, bool turned, bool watched) {
    const auto before = run_watched(before_, options_of(trial, false), watched);
    if (!before || before->raised) return std::nullopt;
    note_written(*before);
    const auto after = run_watched(value_.after, options_after(trial, turned), watched);
    if (!after) return std::nullopt;
    Expectation expected = expectation_of(before_, *before, session_.free_inputs);
    if (const auto found = judge(expected, trial, *before, *after); !found.empty()) return found;
    if (value_.dataflow && !after->raised) return other_orders(expected, trial, *before, *after);
    return "";
  }
  bool doubtful() const { return doubtful_; }

 private:
  std::optional<Run> run_watched(const Graph& graph, RunOptions options, bool watched) {
    if (watched && options_.onlooker)
      options.onlooker = options_.onlooker(&graph == &before_, options.symbols);
    auto run = session_.run(graph, options);
    if (run && options.onlooker != nullptr) options_.finish(*options.onlooker, *run);
    return run;
  }

  /// The first difference that counts, "" if there is none.
  std::string judge(const Expectation& first, const Trial& trial, const Run& before, const Run& after) {
    if (compare(value_, first, after).empty()) return "";
    Expectation expected = first;
    const std::optional<Run> again = session_.run(before_, options_of(trial, true));
    if (!again || again->raised) return doubt();
    narrow(expected, before_, *again);
    if (!narrow_further(expected, trial)) return doubt();
    const Guard guard(value_, session_.ops, {&before_, &before}, {&value_.after, &after});
    for (const Difference& d : compare(value_, expected, after)) {
      if (guard.doubts(d, expected, options_.exact).empty()) return text_of(value_, d);
      doubtful_ = true;
    }
    return "";
  }

  std::string other_orders(const Expectation& first, const Trial& trial, const Run& before,
                           const Run& listed) {
    for (const Swap& swap : unordered_conflicts(session_.ops, {&value_.after, &listed}, kOrders)) {
      RunOptions options = options_after(trial, false);
      options.order = swap.order;
      const std::optional<Run> after = session_.run(value_.after, options);
      if (!after || after->raised) continue;
      if (const auto found = judge(first, trial, before, *after); !found.empty())
        return "in another order, " + found;
    }
    return "";
  }

  std::string doubt() {
    doubtful_ = true;
    return "";
  }

  const ConfirmOptions& options_;
  bool doubtful_ = false;
};

/// Elements of all values, by their types; kUnknown for a value without a type.
std::int64_t said_elements(const Graph& graph, const Symbols& symbols) {
  std::int64_t all = 0;
  for (const Value& value : graph.values)
    all = std::min(kMany, all + (value.type ? elements_of(value.type, symbols) : kUnknown));
  return all;
}

/// Cost of running a graph once, in elements.
std::int64_t work_of(bool before, const Case& value, const Symbols& symbols, const ConfirmOptions& options) {
  const Graph& graph = before ? *value.before : value.after;
  const std::int64_t elements =
      options.elements ? options.elements(before, symbols) : said_elements(graph, symbols);
  return std::min(kMany, elements + kStepWork * static_cast<std::int64_t>(graph.steps.size()));
}

std::int64_t work_of(const Case& value, const Symbols& symbols, const ConfirmOptions& options) {
  return work_of(false, value, symbols, options) +
         (value.before ? work_of(true, value, symbols, options) : 0);
}

/// Assignments of symbols whose cost `work` allows, the most expensive first.
std::vector<Symbols> affordable_sizes(const Case& value, const ConfirmOptions& options) {
  std::vector<std::pair<std::int64_t, Symbols>> out;
  for (Symbols& symbols : assignments(value, ReplayHint{}, kAssignments))
    if (const std::int64_t n = work_of(value, symbols, options); n <= options.work)
      out.emplace_back(-n, std::move(symbols));
  std::ranges::stable_sort(out, {}, [](const auto& one) { return one.first; });
  std::vector<Symbols> sizes;
  for (auto& [n, symbols] : out) sizes.push_back(std::move(symbols));
  return sizes;
}

Confirmed confirm_pair(Session& session, const ConfirmOptions& options, const std::vector<Symbols>& sizes) {
  Confirmed out;
  PairConfirmation pair(session, options);
  for (const bool second : {false, true}) {
    const Symbols& symbols = sizes[second ? sizes.size() / 2 : 0];
    if (second && (!out.ran || work_of(session.value, symbols, options) > session.work_left / 2)) break;
    for (const std::uint64_t seed : seeds(second)) {
      const auto found = pair.run({symbols, seed}, second, !second);
      if (session.result.unsupported || session.work_left <= 0) break;
      if (!found) continue;
      out.ran = true;
      out.difference = *found;
      break;
    }
    if (!out.difference.empty()) return out;
  }
  out.ran = out.ran && !pair.doubtful();
  return out;
}

Confirmed confirm_single(const Case& value, const ConfirmOptions& options, Session& session,
                         const Symbols& symbols) {
  Confirmed out;
  for (const std::uint64_t seed : seeds(false)) {
    RunOptions run;
    run.symbols = symbols;
    run.contents_seed = seed;
    if (options.onlooker) run.onlooker = options.onlooker(false, symbols);
    const auto ran = session.run(value.after, run);
    if (ran && run.onlooker != nullptr) options.finish(*run.onlooker, *ran);
    out.ran = ran && !ran->raised;
    if (out.ran || session.result.unsupported || session.work_left <= 0) break;
  }
  if (!out.ran) return out;
  ReplayHint hint;
  hint.work = session.work_left;
  hint.trials = 2;
  const ReplayResult shown = replay(value, hint);
  if (!shown.witnesses.empty()) out.difference = shown.witnesses.front().message;
  out.ran = out.ran && !shown.unsupported && !shown.approximated;
  return out;
}

}  // namespace

Confirmed confirm(const Case& value, const ConfirmOptions& options) {
  if (options.work <= 0) return {};
  const std::vector<Symbols> sizes = affordable_sizes(value, options);
  Result<OpSet> ops = make_op_set(value.ops);
  if (sizes.empty() || !ops) return {};
  ReplayHint hint;
  hint.work = kVisits * options.work;
  Session session(value, hint, *std::move(ops));
  return value.before ? confirm_pair(session, options, sizes)
                      : confirm_single(value, options, session, sizes.front());
}

}  // namespace noclobber
