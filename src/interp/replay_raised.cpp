// Steps that raise an error where `before` does not.
#include <algorithm>

#include "src/interp/replay_session.h"
#include "src/interp/run_inputs.h"

namespace noclobber {

namespace {

constexpr int kMostRaised = 16;

/// Witnesses of a step that raises, one per rule that it may break.
std::vector<Witness> raised(const Scene& scene, const Difference& d) {
  const Graph& graph = *scene.after.graph;
  const bool known = d.step < graph.steps.size();
  const StepRefs refs = known ? step_refs(scene.ops, graph.steps[d.step]) : StepRefs{};
  if (!known && d.actual.starts_with(kLeftMisfit)) {  // raised by the return, not by a kernel
    Witness w = named("NC020");
    w.aspect = "shape";
    w.message = d.actual;
    return {w};
  }
  std::vector<std::string> rules = {"NC023"};
  if (refs.writes()) {
    const bool misfit = d.actual.find("index") == std::string::npos;
    if (misfit) rules = {"NC021", "NC020"};
    if (overlaps_itself(scene.ops, scene.after, d.step)) rules = {"NC007"};
    if (writes_repeated_bytes(scene.ops, scene.after, d.step)) rules = {"NC008"};
  }
  std::vector<Witness> out;
  for (const std::string& rule : rules) {
    Witness w = named(rule);
    w.clobber = place_of(graph, d.step);
    if (refs.writes()) w.storage = value_name(graph, refs.targets.front());
    w.message = w.clobber->name + " raises where the program before does not: " + d.actual;
    out.push_back(std::move(w));
  }
  return out;
}

/// Replaces step `at` by a constant of the dtype and shape that its name has in `before`, so that later steps
/// that raise are found. False if `before` has no such value.
bool stand_in(const Scene& scene, Graph& graph, std::uint32_t at) {
  if (scene.before.graph == nullptr || at >= graph.steps.size()) return false;
  Step& step = graph.steps[at];
  if (step.results.size() != 1 || !step.results[0].valid()) return false;
  const ValueId same = scene.before.graph->find(value_name(graph, step.results[0]));
  const Tensor* meant = same.valid() ? view_in(*scene.before.run, same) : nullptr;
  if (meant == nullptr) return false;
  std::vector<Arg> sizes;
  for (const std::int64_t size : meant->shape) sizes.push_back(Arg::of(SymExpr(size)));
  step.op = "aten.full.default";
  step.args = {Arg::of(std::move(sizes)), Arg::of(SymExpr(0))};
  step.kwargs = {{"dtype", Arg::of_dtype(meant->dtype)}};
  return true;
}

}  // namespace

void explain_raised(Session& session, const Scene& scene, const Difference& d) {
  for (Witness& w : raised(scene, d)) session.add(std::move(w), scene, d);
  Graph graph = *scene.after.graph;
  Difference now = d;
  for (int k = 1; k < kMostRaised && stand_in(scene, graph, now.step); ++k) {
    const std::optional<Run> run = session.run(graph, scene.options);
    if (!run || !run->raised || run->raised_at == now.step) return;
    now.step = run->raised_at;
    now.actual = run->raised->message;
    const Scene next{scene.value,  scene.ops,       scene.may_write, scene.expected,
                     scene.before, {&graph, &*run}, scene.options,   scene.runs_left};
    for (Witness& w : raised(next, now)) session.add(std::move(w), next, now);
  }
}

}  // namespace noclobber
