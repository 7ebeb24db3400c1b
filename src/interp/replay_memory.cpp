// Attributes differences to memory effects, whatever operators the two graphs consist of.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "src/interp/replay_cause.h"
#include "src/interp/replay_guard.h"

namespace noclobber {

namespace {

constexpr int kWritesTried = 24;

RunOptions options_before(const Scene& scene) {
  RunOptions out = scene.options;
  out.order.clear();
  out.contents.clear();  // these were made for `after`, from `before`
  out.repaired.clear();
  return out;
}

/// True if `edited`, a variant of `before`, gives at the target what `after` gives.
bool gives_the_same(const Scene& scene, const Graph& edited, const Difference& d) {
  if (scene.runs_left <= 0) return false;
  --scene.runs_left;
  const Result<Run> run = run_graph(scene.value, edited, scene.may_write, options_before(scene));
  if (!run || run->raised || !run->unsupported.empty()) return false;
  const Expectation expected = expectation_of(edited, *run, {});
  return !value_difference(expected, *scene.after.run, d.target);
}

}  // namespace

namespace {

/// True if the first result of the step is not a written argument.
bool makes_more(const OpSet& ops, const Step& step) {
  const Schema* schema = ops.find(step.op);
  const bool named = !step.results.empty() && step.results[0].valid();
  return named && schema != nullptr && !schema->returns.empty() && !schema->returns[0].written;
}

/// Operators in the slice of the target that ran as hash kernels: their results are small pseudo-random
/// numbers.
std::set<std::string> hashed_operators(const Scene& scene, const Ran& ran, const Target& target) {
  std::set<std::string> out;
  for (const std::string& op :
       compute_operators(scene.value, scene.ops, ran, backward_slice(scene.ops, ran, target)))
    if (ran.run->hashed.contains(op)) out.insert(op);
  return out;
}

/// True if the target in `after` depends on a hash kernel on which it does not depend in `before`. If a
/// variant of `before` then agrees with `after`, it does so by chance.
bool by_chance(const Scene& scene, const Difference& d) {
  const auto was = hashed_operators(scene, scene.before, d.target);
  return !std::ranges::includes(was, hashed_operators(scene, scene.after, d.target));
}

/// A write of `before` without which it gives what `after` gives: in `after` it is missing, or too late.
std::optional<std::uint32_t> unseen_write(const Scene& scene, const Difference& d) {
  if (scene.before.graph == nullptr || !scene.options.order.empty() || by_chance(scene, d))
    return std::nullopt;
  const Graph& before = *scene.before.graph;
  int tries = kWritesTried;
  for (const std::uint32_t s : backward_slice(scene.ops, scene.before, d.target)) {
    if (!step_refs(scene.ops, before.steps[s]).writes() || tries-- <= 0) continue;
    if (makes_more(scene.ops, before.steps[s])) continue;  // removing the step removes more than the write
    const std::optional<Graph> without = without_write(scene.ops, before, s);
    if (without && gives_the_same(scene, *without, d)) return s;
  }
  return std::nullopt;
}

/// The graph with these constants filled with one number.
Graph holding(Graph graph, const std::vector<std::string>& constants, std::int64_t number) {
  for (Input& input : graph.inputs)
    if (std::ranges::find(constants, graph.value(input.value).name) != constants.end())
      input.contents = std::vector<Arg>{Arg::of(SymExpr(number))};
  return graph;
}

/// True if the graphs agree where these constants are 0 or 1 throughout. A compiler that folds a constant
/// knows its contents: `s += c` is then no lost write.
bool neutral(const Scene& scene, const Difference& d, const std::vector<std::string>& constants) {
  if (constants.empty()) return false;
  RunOptions was = options_before(scene), is = scene.options;
  for (const std::string& name : constants) is.contents.erase(name);
  return std::ranges::any_of(std::array{0, 1}, [&](int number) {
    const Graph before = holding(*scene.before.graph, constants, number);
    const Result<Run> meant = run_graph(scene.value, before, scene.may_write, was);
    const Result<Run> run =
        run_graph(scene.value, holding(*scene.after.graph, constants, number), scene.may_write, is);
    if (!meant || !run || meant->raised || run->raised) return false;
    return !value_difference(expectation_of(before, *meant, {}), *run, d.target);
  });
}

/// Number of steps before the return that write.
std::ptrdiff_t write_count(const Scene& scene, const Graph& graph) {
  const auto end = std::find_if(graph.steps.begin(), graph.steps.end(), is_return);
  return std::count_if(graph.steps.begin(), end,
                       [&](const Step& step) { return step_refs(scene.ops, step).writes(); });
}

/// The write behind the return that corresponds to a write of `before`: the one of its name, else the first.
std::optional<Place> late_write(const Scene& scene, const std::string& name) {
  const std::vector<std::uint32_t> late = writes_behind_return(scene.ops, *scene.after.graph);
  if (late.empty()) return std::nullopt;
  for (const std::uint32_t step : late)
    if (const Place at = place_of(*scene.after.graph, step); at.name == name) return at;
  return place_of(*scene.after.graph, late.front());
}

}  // namespace

std::optional<Witness> dropped_write(const Scene& scene, const Difference& d) {
  if (scene.before.graph == nullptr) return std::nullopt;
  const Graph& before = *scene.before.graph;
  if (write_count(scene, *scene.after.graph) >= write_count(scene, before)) return std::nullopt;
  const std::optional<std::uint32_t> step = unseen_write(scene, d);
  if (!step) return std::nullopt;
  const std::optional<Place> late = late_write(scene, place_of(before, *step).name);
  Witness w = named(late ? "NC011" : "NC006");
  w.clobber = late;
  w.storage = d.target.input;
  const ValueId written = step_refs(scene.ops, before.steps[*step]).targets.front();
  if (const Tensor* view = view_in(*scene.before.run, written)) w.storage = storage_name(scene.before, *view);
  if (!late) w.before = place_of(before, *step);
  w.message = "the write by " + place_of(before, *step).name +
              (late ? " would only run behind the return: " : " is gone: ") + shown_text(scene, d);
  return w;
}

bool due_to_memory(const Scene& scene, const Difference& d, const std::vector<std::string>& folded) {
  if (d.kind != Difference::Kind::value || !scene.options.order.empty()) return false;
  Scene values = scene;
  values.options.value_semantics = true;
  const std::optional<Run> meant = values.variant(*scene.after.graph);
  if (meant && !value_difference(scene.expected, *meant, d.target)) return true;
  if (repaired_by_one_read(scene, d)) return true;
  const auto loses_write = [&] {
    return write_count(scene, *scene.after.graph) < write_count(scene, *scene.before.graph) ||
           !writes_behind_return(scene.ops, *scene.after.graph).empty();
  };
  if (scene.before.graph == nullptr || (!folded.empty() && !loses_write())) return false;
  return unseen_write(scene, d).has_value() && !neutral(scene, d, folded);
}

}  // namespace noclobber
