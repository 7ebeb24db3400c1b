// Finds results whose dtype in a run differs from their type in the graph.
#include <optional>

#include "src/interp/replay_session.h"

namespace noclobber {

namespace {

/// A result that a step leaves in a tensor of another dtype than its type in the graph.
struct Told {
  std::uint32_t step = 0;
  Dtype said = Dtype::other;
  const Tensor* is = nullptr;
};

/// The first such result, since later ones may follow from it. Empty if there is none.
std::optional<Told> told_otherwise(const Ran& ran) {
  const Graph& graph = *ran.graph;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    for (const ValueId id : graph.steps[k].results) {
      if (!id.valid() || !graph.value(id).type) continue;
      const Dtype said = graph.value(id).type->dtype;
      const Tensor* is = view_in(*ran.run, id);
      if (is != nullptr && said != Dtype::other && said != is->dtype) return Told{k, said, is};
    }
  }
  return std::nullopt;
}

}  // namespace

void explain_told(Session& session, const Scene& scene) {
  const std::optional<Told> told = told_otherwise(scene.after);
  if (!told || (scene.before.graph != nullptr && told_otherwise(scene.before))) return;
  const Graph& graph = *scene.after.graph;
  const bool in_place = step_refs(scene.ops, graph.steps[told->step]).writes();
  Difference d;
  d.kind = Difference::Kind::dtype;
  d.step = told->step;
  d.expected = std::string(name(told->said));
  d.actual = std::string(name(told->is->dtype));
  Witness w = named("NC020");
  w.clobber = place_of(graph, told->step);
  w.storage = storage_name(scene.after, *told->is);
  w.aspect = in_place ? "in place" : "told";
  w.where = "the result of " + w.clobber->name;
  w.message = w.clobber->name + (in_place ? " is written in place: its result stays " : " makes ") +
              d.actual + ", and the graph says " + d.expected;
  session.add(std::move(w), scene, d);
}

}  // namespace noclobber
