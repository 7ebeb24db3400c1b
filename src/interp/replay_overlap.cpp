// Steps that overwrite elements before they read them, or write one element twice.
#include <algorithm>

#include "src/interp/replay_cause.h"

namespace noclobber {

namespace {

/// The first operand of step `s` that shares bytes with a target; invalid if none.
ValueId tangled_operand(const Scene& scene, std::uint32_t s) {
  const StepRefs refs = step_refs(scene.ops, scene.after.graph->steps[s]);
  for (const ValueId operand : refs.operands) {
    const Tensor* given = view_in(*scene.after.run, operand);
    for (const ValueId target : refs.targets) {
      const Tensor* written = view_in(*scene.after.run, target);
      if (given != nullptr && written != nullptr && share_bytes(*given, *written)) return operand;
    }
  }
  return ValueId{};
}

Witness overlap_at(const Scene& scene, std::uint32_t s, const Difference& d) {
  Witness w = named("NC007");
  w.clobber = w.read = place_of(*scene.after.graph, s);
  const ValueId target = step_refs(scene.ops, scene.after.graph->steps[s]).targets.front();
  if (const Tensor* view = view_in(*scene.after.run, target)) {
    w.storage = storage_name(scene.after, *view);
    w.first_byte = byte_extent(*view).first;
    w.last_byte = byte_extent(*view).last;
  }
  if (const ValueId operand = tangled_operand(scene, s); operand.valid())
    w.define = defining_place(*scene.after.graph, operand);
  const bool twice = targets_overlap(scene.ops, scene.after, s);
  if (twice) w.aspect = "results";
  w.message = w.clobber->name +
              (twice ? " writes two results into the same bytes: "
                     : " reads elements that it has already overwritten itself: ") +
              shown_text(scene, d);
  return w;
}

/// The graph in which step `s` reads clones, or, if its targets overlap, writes separate clones.
Graph untangled(const Scene& scene, const Graph& graph, std::uint32_t s) {
  if (targets_overlap(scene.ops, scene.after, s)) return with_separate_targets(scene.ops, graph, s);
  return with_cloned_operands(scene.ops, graph, s);
}

std::vector<std::uint32_t> tangled_steps(const Scene& scene, const Difference& d) {
  std::vector<std::uint32_t> out = backward_slice(scene.ops, scene.after, d.target);
  std::erase_if(out, [&](std::uint32_t s) {
    return !overlaps_itself(scene.ops, scene.after, s) && !targets_overlap(scene.ops, scene.after, s);
  });
  return out;
}

}  // namespace

bool writes_repeated_bytes(const OpSet& ops, const Ran& ran, std::uint32_t at) {
  const StepRefs refs = step_refs(ops, ran.graph->steps[at]);
  return std::any_of(refs.targets.begin(), refs.targets.end(), [&ran](ValueId target) {
    const Tensor* view = view_in(*ran.run, target);
    return view != nullptr && repeats_bytes(*view);
  });
}

bool targets_overlap(const OpSet& ops, const Ran& ran, std::uint32_t at) {
  const StepRefs refs = step_refs(ops, ran.graph->steps[at]);
  if (refs.repeats_target) return true;
  for (std::size_t i = 0; i < refs.targets.size(); ++i) {
    const Tensor* a = view_in(*ran.run, refs.targets[i]);
    for (std::size_t j = 0; a != nullptr && j < i; ++j) {
      const Tensor* b = view_in(*ran.run, refs.targets[j]);
      if (b != nullptr && share_bytes(*a, *b)) return true;
    }
  }
  return false;
}

bool overlaps_itself(const OpSet& ops, const Ran& ran, std::uint32_t at) {
  const StepRefs refs = step_refs(ops, ran.graph->steps[at]);
  for (const ValueId target : refs.targets) {
    const Tensor* written = view_in(*ran.run, target);
    if (written == nullptr) continue;
    for (const ValueId operand : refs.operands) {
      const Tensor* given = view_in(*ran.run, operand);
      if (given == nullptr || !share_bytes(*written, *given)) continue;
      if (!refs.elementwise || !same_map(*written, *given)) return true;
    }
  }
  return false;
}

std::optional<Witness> intra_op_overlap(const Scene& scene, const Difference& d) {
  for (const std::uint32_t s : tangled_steps(scene, d)) {
    const std::optional<Run> run = scene.variant(untangled(scene, *scene.after.graph, s));
    if (run && element_right(scene.expected, *run, d.target, d.element)) return overlap_at(scene, s, d);
  }
  return std::nullopt;
}

std::optional<Witness> combined_overlaps(const Scene& scene, const Difference& d) {
  const std::vector<std::uint32_t> steps = tangled_steps(scene, d);
  if (steps.empty()) return std::nullopt;
  Graph apart = *scene.after.graph;
  for (std::size_t i = steps.size(); i-- > 0;) apart = untangled(scene, apart, steps[i]);
  const std::optional<Run> run = scene.variant(apart);
  if (!run) return std::nullopt;
  const std::optional<Difference> rest = value_difference(scene.expected, *run, d.target);
  if (rest) {
    const Scene untied{scene.value,  scene.ops,       scene.may_write, scene.expected,
                       scene.before, {&apart, &*run}, scene.options,   scene.runs_left};
    if (!stale_read(untied, *rest)) return std::nullopt;
  }
  return overlap_at(scene, steps.front(), d);
}

std::optional<Witness> self_overlap(const Scene& scene, const Difference& d) {
  std::multiset<std::string> meant;
  if (scene.before.graph != nullptr) {
    for (std::uint32_t s = 0; s < scene.before.graph->steps.size(); ++s) {
      if (!writes_repeated_bytes(scene.ops, scene.before, s)) continue;
      meant.insert(scene.ops.functional(scene.before.graph->steps[s].op));
    }
  }
  for (const std::uint32_t s : backward_slice(scene.ops, scene.after, d.target)) {
    if (!writes_repeated_bytes(scene.ops, scene.after, s)) continue;
    const auto partner = meant.find(scene.ops.functional(scene.after.graph->steps[s].op));
    if (partner != meant.end()) {
      meant.erase(partner);
      continue;
    }
    Witness w = named("NC008");
    w.clobber = place_of(*scene.after.graph, s);
    w.storage =
        value_name(*scene.after.graph, step_refs(scene.ops, scene.after.graph->steps[s]).targets.front());
    w.message = w.clobber->name + " writes into a view whose indices share elements: " + shown_text(scene, d);
    return w;
  }
  return std::nullopt;
}

}  // namespace noclobber
