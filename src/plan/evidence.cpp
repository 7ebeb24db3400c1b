// A plan as placements of a Trace, so that nc-check can decide again what the sweep saw.
#include <algorithm>
#include <limits>

#include "src/plan/checks.h"

namespace noclobber {
namespace {

/// Steps of the graph, as the checker counts them: contents that are stored at exit have one more.
std::uint32_t steps_counted(const Trace& trace) {
  std::uint32_t out = 0;
  for (const TraceStep& step : trace.steps) out = std::max(out, step.origin + 1);
  return out;
}

/// Bytes of the place: its only entry's, or those of all entries where they are numbers, or of the elements.
PolyId size_of(const PlanScene& scene, const PlacedStorage& one, const PlanNumbers& numbers) {
  if (one.buffers.size() == 1) return scene.space.add(one.starts[0], numbers.sizes[one.buffers[0]]);
  const auto place = placement_of(scene, one, {});
  return place ? scene.space.constant(place->size) : one.bytes;
}

}  // namespace

std::vector<TracePlacement> stated_places(const PlanScene& scene, const PlacedStorages& placed,
                                          const PlanNumbers& numbers, const PlanAnswer& answer) {
  constexpr std::int64_t kLatest = std::numeric_limits<std::uint32_t>::max();
  if (!scene.order.listed() || !placed.guards.empty() || answer.in_turn ||
      answer.below.size() != placed.storages.size())
    return {};
  const std::int64_t steps = scene.value.after.steps.size();
  const std::int64_t end = std::max<std::int64_t>(steps, steps_counted(scene.traced.after)) + 1;
  std::vector<TracePlacement> out;
  for (std::size_t k = 0; k < placed.storages.size(); ++k) {
    const PlacedStorage& one = placed.storages[k];
    if (one.first < 0 || one.last < 0 || one.first >= kLatest || one.last >= kLatest) return {};
    TracePlacement place;
    place.name = one.name;
    place.arena = one.arena;
    place.offset = one.base;
    place.size = size_of(scene, one, numbers);
    place.first = static_cast<std::uint32_t>(one.first);
    place.last = static_cast<std::uint32_t>(one.storage && one.last > steps ? end : one.last);
    place.storage = one.storage;
    if (answer.below[k] != SweepAnswer::kNone) place.below = answer.below[k];
    out.push_back(std::move(place));
  }
  return out;
}

}  // namespace noclobber
