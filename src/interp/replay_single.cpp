// Searches one graph: stale reads, uninitialised reads, immutable writes, overlaps, order hazards.
#include <algorithm>

#include "src/interp/replay_session.h"

namespace noclobber {

namespace {

class Single {
 public:
  explicit Single(Session& session) : session_(session), value_(session.value), graph_(session.value.after) {}

  void search() {
    find_writable();
    std::size_t most = session_.hint.trials, made = 0;
    int further = 3;
    std::optional<std::pair<Trial, Run>> first_raised;
    for (const Trial& trial : trials(value_, session_.hint, session_.hint.trials)) {
      if (made >= most) break;
      std::optional<Run> run = session_.run(graph_, options_of(trial));
      if (session_.result.unsupported) return;
      if (!run) continue;
      if (run->raised) {
        if (!first_raised) first_raised.emplace(trial, *std::move(run));
        continue;
      }
      ++made;
      most = std::min(session_.hint.trials, std::max<std::size_t>(2, affordable_trials(graph_, *run) / 2));
      judge(*run, options_of(trial));
      if (enough_) return;
      if (!session_.result.witnesses.empty() && further-- == 0) return;
    }
    if (made == 0 && first_raised) report_raised(first_raised->first, first_raised->second);
  }

 private:
  static RunOptions options_of(const Trial& trial) {
    RunOptions options;
    options.symbols = trial.symbols;
    options.contents_seed = trial.contents_seed;
    return options;
  }

  void find_writable() {
    std::set<std::string> finals;
    for (const auto& [input, contents] : graph_.finals) finals.insert(graph_.value(input).name);
    for (const Input& input : graph_.inputs) {
      const std::string& name = graph_.value(input.value).name;
      const bool program = !value_.names_are_values && input.kind != Input::Kind::constant;
      if (input.may_write.value_or(program || finals.contains(name))) session_.may_write.insert(name);
    }
    for (const Input& input : graph_.inputs) session_.free_inputs.insert(graph_.value(input.value).name);
  }

  /// Reports a write that raises in every trial. An index out of range does not count: contents decide it.
  void report_raised(const Trial& trial, const Run& run) {
    const bool writes =
        run.raised_at < graph_.steps.size() && step_refs(session_.ops, graph_.steps[run.raised_at]).writes();
    if (!writes || run.raised->message.find("index") != std::string::npos) return;
    Difference d;
    d.kind = Difference::Kind::raised;
    d.step = run.raised_at;
    d.expected = "no error";
    d.actual = run.raised->message;
    show(Expectation{}, run, options_of(trial), {d});
  }

  void show(const Expectation& expected, const Run& run, const RunOptions& options,
            std::vector<Difference> found) {
    int variants = kVariantRuns;
    const Scene scene{value_,  session_.ops, session_.may_write, expected, {}, {&graph_, &run},
                      options, variants};
    explain(session_, scene, std::move(found), nullptr);
  }

  static bool is_value(const Difference& d) { return d.kind == Difference::Kind::value; }

  static void only_values(std::vector<Difference>& found) {
    std::erase_if(found, [](const Difference& d) {
      return d.kind != Difference::Kind::value && d.kind != Difference::Kind::immutable;
    });
  }

  void judge(const Run& run, const RunOptions& options) {
    if (value_.names_are_values) {
      against_values(run, options);
    } else if (!run.immutable_writes.empty()) {
      std::vector<Difference> found =
          differences(value_, expectation_of(graph_, run, session_.free_inputs), run);
      only_values(found);
      show(expectation_of(graph_, run, session_.free_inputs), run, options, std::move(found));
    }
    undefined(run, options);
    overlaps(run, options);
    if (value_.dataflow) orders(run, options);
  }

  /// Compares a run under value semantics with the run on storages.
  void against_values(const Run& run, const RunOptions& options) {
    RunOptions values = options;
    values.value_semantics = true;
    const std::optional<Run> meant = session_.run(graph_, values);
    if (!meant || meant->raised) return;
    Expectation expected = expectation_of(graph_, *meant, session_.free_inputs);
    values.garbage_seed = 2;
    values.backwards = true;
    const std::optional<Run> again = session_.run(graph_, values);
    if (!again || again->raised) return;
    narrow(expected, graph_, *again);
    std::vector<Difference> found = differences(value_, expected, run);
    only_values(found);
    if (meant->stale.empty()) std::erase_if(found, is_value);  // without a stale read, it is within one step
    if (!found.empty()) show(expected, run, options, std::move(found));
    for (const Run::Stale& stale : meant->stale) note_stale(expected, run, options, stale);
  }

  /// A stale read is a witness once two runs with different contents have it.
  void note_stale(const Expectation& expected, const Run& run, const RunOptions& options,
                  const Run::Stale& stale) {
    const int wanted = session_.hint.seed ? 1 : 2;  // with a given seed there is one run only
    if (++stale_[{stale.step, stale.value}] != wanted) return;
    int none = 0;
    const Scene scene{value_, session_.ops, session_.may_write, expected, {}, {&graph_, &run}, options, none};
    Witness w = named("NC001");
    w.define = defining_place(graph_, stale.value);
    w.clobber = place_of(graph_, stale.writer);
    w.read = place_of(graph_, stale.step);
    if (const Tensor* view = view_in(run, stale.value)) {
      w.storage = storage_name(scene.after, *view);
      w.first_byte = byte_extent(*view).first;
      w.last_byte = byte_extent(*view).last;
    }
    w.where = "read of " + value_name(graph_, stale.value) + " by " + w.read->name;
    w.message = w.read->name + " reads " + value_name(graph_, stale.value) + " after " + w.clobber->name +
                " overwrote it";
    w.index = stale.index;
    session_.add(std::move(w), scene, Difference{});
  }

  /// Reports outputs and final contents that depend on undefined bytes.
  void undefined(const Run& run, const RunOptions& options) {
    if (!may_be_undefined(value_, graph_)) return;
    RunOptions other = options;
    other.value_semantics = value_.names_are_values;
    std::optional<Run> reference =
        value_.names_are_values ? session_.run(graph_, other) : std::optional<Run>(run);
    other.garbage_seed = 2;
    const std::optional<Run> varied = session_.run(graph_, other);
    if (!reference || reference->raised || !varied || varied->raised) return;
    const Expectation expected = expectation_of(graph_, *reference, session_.free_inputs);
    int variants = kVariantRuns;
    const Scene scene{value_, session_.ops, session_.may_write, expected, {}, {&graph_, &*varied},
                      other,  variants};
    std::vector<Difference> found = differences(value_, expected, *varied);
    for (const Difference& d : found) {
      if (d.kind != Difference::Kind::value) continue;
      variants = kVariantRuns;
      if (std::optional<Witness> w = uninitialized_read(scene, d)) session_.add(*std::move(w), scene, d);
    }
  }

  /// Reports steps that overwrite elements before they read them, or write one element twice.
  void overlaps(const Run& run, const RunOptions& options) {
    const Ran ran{&graph_, &run};
    for (std::uint32_t s = 0; s < graph_.steps.size(); ++s) {
      const bool intra = overlaps_itself(session_.ops, ran, s);
      const bool self = writes_repeated_bytes(session_.ops, ran, s);
      if (!intra && !self) continue;
      const Graph meant = intra ? with_cloned_operands(session_.ops, graph_, s) : graph_;
      const std::optional<Run> reference = session_.run(meant, options);
      if (!reference || reference->raised) continue;
      const Expectation expected = expectation_of(meant, *reference, session_.free_inputs);
      for (const bool backwards : {false, true}) {
        RunOptions turned = options;
        turned.backwards = backwards;
        const std::optional<Run> actual = session_.run(graph_, turned);
        if (!actual || actual->raised) continue;
        int variants = kVariantRuns;
        const Scene scene{value_, session_.ops, session_.may_write, expected, {}, {&graph_, &*actual},
                          turned, variants};
        for (const Difference& d : differences(value_, expected, *actual)) {
          if (d.kind != Difference::Kind::value) continue;
          std::optional<Witness> w = intra ? intra_op_overlap(scene, d) : self_overlap(scene, d);
          if (w) session_.add(*std::move(w), scene, d);
        }
      }
    }
  }

  void orders(const Run& listed, const RunOptions& options) {
    Expectation expected = expectation_of(graph_, listed, {});
    RunOptions turned = options;
    turned.backwards = true;
    turned.garbage_seed = 2;
    const std::optional<Run> again = session_.run(graph_, turned);
    if (!again || again->raised) return;
    narrow(expected, graph_, *again);
    for (const Swap& swap : unordered_conflicts(session_.ops, {&graph_, &listed}, kMostOrders)) {
      RunOptions moved = options;
      moved.order = swap.order;
      const std::optional<Run> actual = session_.run(graph_, moved);
      if (!actual || actual->raised) continue;
      int none = 0;
      const Scene scene{value_, session_.ops, session_.may_write, expected, {}, {&graph_, &*actual},
                        moved,  none};
      std::vector<Difference> found = differences(value_, expected, *actual);
      std::erase_if(found, [](const Difference& d) { return d.kind == Difference::Kind::immutable; });
      if (found.empty()) continue;
      session_.add(order_witness(scene, swap, found.front()), scene, found.front());
      enough_ = session_.hint.one_order;
      if (enough_) return;
    }
  }

  Session& session_;
  const Case& value_;
  const Graph& graph_;
  std::map<std::pair<std::uint32_t, ValueId>, int> stale_;
  bool enough_ = false;  // an order that breaks was found, and `one_order` is set
};

}  // namespace

void replay_single(Session& session) { Single(session).search(); }

}  // namespace noclobber
