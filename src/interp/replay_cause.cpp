#include "src/interp/replay_cause.h"

#include <algorithm>
#include <array>

#include "src/interp/replay_held.h"

namespace noclobber {

namespace {

struct RuleName {
  std::string_view rule, property;
};
constexpr std::array kRules = std::to_array<RuleName>({
    {"NC001", "stale-read"},
    {"NC002", "uninitialized-read"},
    {"NC003", "immutable-write"},
    {"NC004", "value-mismatch"},
    {"NC005", "alias-growth"},
    {"NC006", "lost-mutation"},
    {"NC007", "intra-op-overlap"},
    {"NC008", "self-overlap"},
    {"NC009", "repeated-write"},
    {"NC010", "order-hazard"},
    {"NC011", "return-not-last"},
    {"NC020", "metadata"},
    {"NC021", "size-fit"},
    {"NC022", "signature"},
    {"NC023", "precondition"},
});

/// Functional names of those of the steps that write.
std::multiset<std::string> writers(const Scene& scene, const Ran& ran,
                                   const std::vector<std::uint32_t>& steps) {
  std::multiset<std::string> out;
  for (const std::uint32_t s : steps) {
    const Step& step = ran.graph->steps[s];
    if (step_refs(scene.ops, step).writes()) out.insert(scene.ops.functional(step.op));
  }
  return out;
}

std::size_t occurrences(const Scene& scene, const Ran& ran, const std::string& functional) {
  return static_cast<std::size_t>(
      std::count_if(ran.graph->steps.begin(), ran.graph->steps.end(),
                    [&](const Step& s) { return scene.ops.functional(s.op) == functional; }));
}

/// True if `after` leaves the differing byte unwritten, or all contents of the input as they are at entry.
bool untouched(const Scene& scene, const Difference& d) {
  const auto at = scene.after.run->input_storage.find(d.target.input);
  if (at == scene.after.run->input_storage.end()) return false;
  const Storage& storage = scene.after.run->storages[at->second];
  const auto byte = static_cast<std::size_t>(d.element);
  if (byte < storage.writer.size() && storage.writer[byte] == -1) return true;
  Graph entry = *scene.after.graph;
  entry.steps.clear();
  entry.outputs.clear();
  entry.finals.clear();
  const std::optional<Run> run = scene.variant(entry);
  if (!run) return false;
  const auto then = run->input_storage.find(d.target.input);
  return then != run->input_storage.end() && run->storages[then->second].bytes == storage.bytes;
}

/// The last step of a run that wrote the element. Empty if none did.
std::optional<std::uint32_t> last_writer(const Run& run, const Difference& d) {
  std::optional<std::uint32_t> storage;
  auto byte = static_cast<std::size_t>(d.element);
  if (d.target.output >= 0) {
    const std::optional<Tensor>& shown = run.outputs[static_cast<std::size_t>(d.target.output)].tensor;
    if (!shown) return std::nullopt;
    const std::vector<std::int64_t> starts = element_bytes(*shown);
    if (byte >= starts.size()) return std::nullopt;
    byte = static_cast<std::size_t>(starts[byte]);
    storage = shown->storage;
  } else if (const auto at = run.input_storage.find(d.target.input); at != run.input_storage.end()) {
    storage = at->second;
  }
  if (!storage || byte >= run.storages[*storage].writer.size() || run.storages[*storage].writer[byte] < 0)
    return std::nullopt;
  return static_cast<std::uint32_t>(run.storages[*storage].writer[byte]);
}

}  // namespace

std::string property_of(const std::string& rule) {
  for (const RuleName& row : kRules) {
    if (row.rule == rule) return std::string(row.property);
  }
  return "";
}

Witness named(const std::string& rule) {
  Witness w;
  w.rule = rule;
  w.property = property_of(rule);
  return w;
}

const Tensor* view_in(const Run& run, ValueId value) {
  if (!value.valid() || value.index >= run.values.size() || !run.values[value.index]) return nullptr;
  return &*run.values[value.index];
}

std::string storage_name(const Ran& ran, const Tensor& view) {
  if (view.storage < ran.run->storages.size() && !ran.run->storages[view.storage].input.empty()) {
    return ran.run->storages[view.storage].input;
  }
  for (const Step& step : ran.graph->steps) {
    for (const ValueId result : step.results) {
      const Tensor* made = view_in(*ran.run, result);
      if (made != nullptr && made->storage == view.storage) return value_name(*ran.graph, result);
    }
  }
  return "?";
}

std::string target_text(const Target& target) {
  return target.output >= 0 ? "output " + std::to_string(target.output) : target.input + " at exit";
}

std::vector<std::int64_t> index_at(const Scene& scene, const Difference& d) {
  if (d.target.output >= 0) {
    const Expectation::Output& output = scene.expected.outputs[static_cast<std::size_t>(d.target.output)];
    return output.tensor ? index_of(output.tensor->shape, d.element) : std::vector<std::int64_t>{};
  }
  for (const Input& input : scene.after.graph->inputs) {
    const Tensor* view = view_in(*scene.after.run, input.value);
    const auto storage = scene.after.run->input_storage.find(d.target.input);
    if (view == nullptr || storage == scene.after.run->input_storage.end() ||
        view->storage != storage->second)
      continue;
    const std::vector<std::int64_t> starts = element_bytes(*view);
    const auto at = std::find(starts.begin(), starts.end(), d.element);
    if (at != starts.end()) return index_of(view->shape, at - starts.begin());
  }
  return {d.element};
}

std::string shown_text(const Scene& scene, const Difference& d) {
  return target_text(d.target) + " at " + index_text(index_at(scene, d)) + " should be " + d.expected +
         " and is " + d.actual;
}

std::string difference_text(const Scene& scene, const Difference& d) {
  using Kind = Difference::Kind;
  if (d.kind == Kind::value) return shown_text(scene, d);
  if (d.kind == Kind::sharing) {
    const std::string with = d.other.output >= 0 ? target_text(d.other) : "input " + d.other.input;
    if (d.lost) return target_text(d.target) + " shares less storage with " + with + " than before";
    if (d.other.output == d.target.output)
      return target_text(d.target) + " holds two elements on one place and did not before";
    return target_text(d.target) + " shares storage with " + with + " and did not before";
  }
  const std::string what = d.kind == Kind::effects ? "the effects of the program"
                           : d.kind == Kind::raised || d.kind == Kind::immutable
                               ? "step " + std::to_string(d.step)
                               : target_text(d.target);
  return what + " should give " + d.expected + " and gives " + d.actual;
}

std::optional<Run> Scene::variant(const Graph& edited) const {
  if (runs_left <= 0) return std::nullopt;
  --runs_left;
  RunOptions plain = options;
  plain.order.clear();
  Result<Run> run = run_graph(value, edited, may_write, plain);
  if (!run || run->raised || !run->unsupported.empty()) return std::nullopt;
  return *std::move(run);
}

std::optional<Witness> lost_mutation(const Scene& scene, const Difference& d) {
  if (scene.before.graph == nullptr) return std::nullopt;
  const auto steps = backward_slice(scene.ops, scene.before, d.target);
  if (d.target.output < 0 && untouched(scene, d)) {
    Witness w = named("NC006");
    w.storage = d.target.input;
    if (const auto step = last_writer(*scene.before.run, d)) w.before = place_of(*scene.before.graph, *step);
    w.read = place_of(*scene.after.graph, static_cast<std::uint32_t>(scene.after.graph->steps.size()));
    if (const auto step = last_writer(*scene.after.run, d)) w.clobber = place_of(*scene.after.graph, *step);
    w.message = "the new contents never reach " + d.target.input + ": " + shown_text(scene, d);
    return w;
  }
  for (const std::string& op : writers(scene, scene.before, steps)) {
    if (occurrences(scene, scene.after, op) >= occurrences(scene, scene.before, op)) continue;
    if (moves_data(op)) continue;
    Witness w = named("NC006");
    w.storage = d.target.input;
    for (const std::uint32_t s : steps)
      if (scene.ops.functional(scene.before.graph->steps[s].op) == op)
        w.before = place_of(*scene.before.graph, s);
    w.message = "a write by " + op + " is gone: " + shown_text(scene, d);
    return w;
  }
  return std::nullopt;
}

std::optional<Witness> repeated_write(const Scene& scene, const Difference& d) {
  if (scene.before.graph == nullptr) return std::nullopt;
  const Graph& graph = *scene.after.graph;
  for (const std::uint32_t s : backward_slice(scene.ops, scene.after, d.target)) {
    const std::string op = scene.ops.functional(graph.steps[s].op);
    if (moves_data(op) || occurrences(scene, scene.after, op) <= occurrences(scene, scene.before, op))
      continue;
    const std::optional<Graph> once = without_write(scene.ops, graph, s);
    const std::optional<Run> run = once ? scene.variant(*once) : std::nullopt;
    if (!run || value_difference(scene.expected, *run, d.target)) continue;
    Witness w = named("NC009");
    w.storage = d.target.input;
    w.clobber = place_of(graph, s);
    w.message = w.clobber->name + " is executed once more than before: " + shown_text(scene, d);
    return w;
  }
  return std::nullopt;
}

Witness value_mismatch(const Scene& scene, const Difference& d) {
  Witness w = named("NC004");
  if (const auto step = last_writer(*scene.after.run, d)) w.clobber = place_of(*scene.after.graph, *step);
  const auto first = first_that_differs(scene, d);
  if (first && (!w.clobber || *first < w.clobber->step)) w.define = place_of(*scene.after.graph, *first);
  w.read = place_of(*scene.after.graph, static_cast<std::uint32_t>(scene.after.graph->steps.size()));
  w.storage = d.target.input;
  w.message = shown_text(scene, d);
  return w;
}

Witness explain_value(const Scene& scene, const Difference& d) {
  using Explanation = std::optional<Witness> (*)(const Scene&, const Difference&);
  constexpr std::array<Explanation, 8> kExplanations = {repeated_write,   stale_read,   uninitialized_read,
                                                        intra_op_overlap, self_overlap, combined_overlaps,
                                                        dropped_write,    lost_mutation};
  for (const Explanation explanation : kExplanations) {
    if (std::optional<Witness> w = explanation(scene, d)) return *std::move(w);
  }
  return value_mismatch(scene, d);
}

}  // namespace noclobber
