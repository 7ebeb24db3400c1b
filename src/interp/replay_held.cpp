#include "src/interp/replay_held.h"

#include <algorithm>
#include <tuple>

namespace noclobber {

namespace {

std::optional<Held> held_of(const Run::Output& output) {
  if (!output.tensor) return std::nullopt;
  if (std::ranges::find(output.defined, 0) != output.defined.end()) return std::nullopt;
  return Held{output.tensor->dtype, output.tensor->shape, output.bytes};
}

std::optional<Run> plain_run(const Scene& scene, const Graph& graph, RunOptions options) {
  options.order.clear();
  Result<Run> run = run_graph(scene.value, graph, scene.may_write, options);
  if (!run || run->raised || !run->unsupported.empty()) return std::nullopt;
  return *std::move(run);
}

/// For runs of `before`, whose contents come from the seed.
RunOptions before_options(RunOptions options) {
  options.contents.clear();
  options.repaired.clear();
  return options;
}

/// Options of the runs whose contents are compared: those of the scene, and those with other seeds unless
/// contents were given by name.
std::vector<RunOptions> trials_of(const Scene& scene) {
  std::vector<RunOptions> out{scene.options};
  if (!scene.options.contents.empty()) return out;
  for (const std::uint64_t more : {4, 10}) {
    out.push_back(scene.options);
    out.back().contents_seed += more;
  }
  return out;
}

bool agree(const Held& a, const Held& b) { return a.dtype == b.dtype && a.bytes == b.bytes; }

std::string operator_at(const Scene& scene, const Graph& graph, std::uint32_t step) {
  return step < graph.steps.size() ? scene.ops.functional(graph.steps[step].op) : std::string();
}

/// Smaller if the two are more likely to be the same value.
std::tuple<bool, bool, bool, std::size_t> rank(const Scene& scene, ValueId candidate, const Held& held,
                                               const Held& meant, const Place& define) {
  const Graph& before = *scene.before.graph;
  const std::uint32_t step = defining_step(before, candidate);
  const std::string ours = operator_at(scene, *scene.after.graph, define.step);
  const bool both_entry = step == Place::kEntry && define.step == Place::kEntry;
  const bool same_op = both_entry || (!ours.empty() && ours == operator_at(scene, before, step));
  return {value_name(before, candidate) != define.name, !same_op, held.shape != meant.shape, candidate.index};
}

/// The graph with a clone of every tensor right behind its definition, before any step can write there.
struct Copied {
  Graph graph;
  std::vector<ValueId> of;  // of[k]: the value that output k is a clone of

  explicit Copied(const Ran& ran) : graph(*ran.graph), ran_(ran) {
    graph.steps.clear();
    graph.outputs.clear();
    graph.finals.clear();
    for (const Input& input : ran.graph->inputs) copy(input.value);
    for (const Step& step : ran.graph->steps) {
      for (const ValueId made : step.results)
        if (made.valid()) graph.values[made.index].at = static_cast<std::uint32_t>(graph.steps.size());
      graph.steps.push_back(step);
      for (const ValueId made : step.results) copy(made);
    }
  }

 private:
  void copy(ValueId value) {
    if (view_in(*ran_.run, value) == nullptr) return;  // not a tensor
    const ValueId id(graph.values.size());
    Value held;
    held.name = "held_" + std::to_string(id.index);
    held.from = Value::From::step;
    held.at = static_cast<std::uint32_t>(graph.steps.size());
    graph.values.push_back(std::move(held));
    Step& step = graph.steps.emplace_back();
    step.op = "aten.clone.default";
    step.results = {id};
    step.args = {Arg::of(value)};
    graph.outputs.push_back(Arg::of(id));
    of.push_back(value);
  }

  const Ran& ran_;
};

/// True if a value of `before` has these contents.
bool found_in(const HeldValues& before, const Held& held) {
  return std::ranges::any_of(before,
                             [&](const std::optional<Held>& one) { return one && agree(*one, held); });
}

}  // namespace

HeldValues held_values(const Scene& scene, const Ran& ran, const RunOptions& options) {
  const Copied copied(ran);
  const std::optional<Run> run = plain_run(scene, copied.graph, options);
  if (!run) return {};
  HeldValues out(ran.graph->values.size());
  for (std::size_t k = 0; k < copied.of.size() && k < run->outputs.size(); ++k)
    out[copied.of[k].index] = held_of(run->outputs[k]);
  return out;
}

std::optional<Held> held_before(const Scene& scene, ValueId value, std::uint32_t at,
                                const RunOptions& options) {
  Graph prefix = *scene.after.graph;
  prefix.steps.resize(std::min<std::size_t>(at, prefix.steps.size()));
  prefix.outputs = {Arg::of(value)};
  prefix.finals.clear();
  const std::optional<Run> run = plain_run(scene, prefix, options);
  return run && !run->outputs.empty() ? held_of(run->outputs.front()) : std::nullopt;
}

std::optional<Place> counterpart(const Scene& scene, ValueId value, std::uint32_t at, const Place& define) {
  if (scene.before.graph == nullptr) return std::nullopt;
  const Graph& before = *scene.before.graph;
  std::vector<bool> agrees(before.values.size(), true);
  HeldValues held;
  std::optional<Held> meant;
  for (const RunOptions& options : trials_of(scene)) {
    std::optional<Held> now = held_before(scene, value, at, options);
    HeldValues then = held_values(scene, scene.before, before_options(options));
    if (then.empty() || !now) {
      if (!meant) return std::nullopt;  // the run of the witness itself failed
      continue;
    }
    for (std::size_t k = 0; k < agrees.size(); ++k)
      agrees[k] = agrees[k] && then[k].has_value() && agree(*then[k], *now);
    if (!meant) held = std::move(then), meant = std::move(now);
  }
  std::optional<ValueId> best;
  for (std::size_t k = 0; k < agrees.size(); ++k) {
    const auto better = [&] {
      return rank(scene, ValueId(k), *held[k], *meant, define) <
             rank(scene, *best, *held[best->index], *meant, define);
    };
    if (agrees[k] && (!best || better())) best = ValueId(k);
  }
  return best ? std::optional(defining_place(before, *best)) : std::nullopt;
}

std::optional<std::uint32_t> first_that_differs(const Scene& scene, const Difference& d) {
  if (scene.before.graph == nullptr || !scene.options.order.empty()) return std::nullopt;
  const Graph& after = *scene.after.graph;
  const HeldValues then = held_values(scene, scene.before, before_options(scene.options));
  const HeldValues now = held_values(scene, scene.after, scene.options);
  if (then.empty() || now.empty()) return std::nullopt;
  const auto told = [&](ValueId id) {
    return id.valid() && id.index < now.size() && now[id.index].has_value();
  };
  const auto right = [&](ValueId id) { return !told(id) || found_in(then, *now[id.index]); };
  const auto differs = [&](ValueId id) {  // from the value of `before` with its name
    const ValueId same = told(id) ? scene.before.graph->find(value_name(after, id)) : ValueId{};
    return same.valid() && then[same.index].has_value() && !agree(*then[same.index], *now[id.index]) &&
           !right(id);
  };
  for (const std::uint32_t s : backward_slice(scene.ops, scene.after, d.target))
    if (std::ranges::all_of(uses_of(after.steps[s]), right) &&
        std::ranges::any_of(after.steps[s].results, differs))
      return s;
  return std::nullopt;
}

}  // namespace noclobber
