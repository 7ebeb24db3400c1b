// A plan as placements of a Trace, which nc-check decides: each with its live range, its place and its
// neighbour below.
#include <algorithm>
#include <limits>

#include "src/plan/checks.h"

namespace noclobber {
namespace {

constexpr std::int64_t kLatest = std::numeric_limits<std::uint32_t>::max();

/// The number of steps of the graph, as the checker counts them: contents that are stored at exit add one.
std::uint32_t steps_counted(const Trace& trace) {
  std::uint32_t out = 0;
  for (const TraceStep& step : trace.steps) out = std::max(out, step.origin + 1);
  return out;
}

/// Bytes of the place: of its only entry, or of all entries if they are numbers, else of the elements.
PolyId size_of(const PlanScene& scene, const PlacedStorage& one, const PlanNumbers& numbers) {
  if (one.buffers.size() == 1) return scene.space.add(one.starts[0], numbers.sizes[one.buffers[0]]);
  const auto place = placement_of(scene, one, {});
  return place ? scene.space.constant(place->size) : one.bytes;
}

/// The dimensions of a storage that is dense in memory, the outermost in memory first; empty if it is not
/// dense, or its strides are unknown.
std::vector<std::uint32_t> memory_order(Space& space, const PlacedStorage& one) {
  const Shape& shape = one.traced->after.storages[*one.storage].shape;
  const auto& strides = one.traced->views.layouts[*one.storage].strides;
  std::vector<std::uint32_t> out;
  if (!strides || strides->size() != shape.size()) return out;
  std::vector<bool> known(shape.size());
  PolyId inner = space.constant(1);
  while (out.size() < shape.size()) {
    std::size_t d = shape.size();
    const auto fits = [&](std::size_t k) {
      return !known[k] && (space.value(shape[k]) == 1 || space.same((*strides)[k], inner));
    };
    while (d > 0 && !fits(d - 1)) --d;
    if (d-- == 0) return {};
    known[d] = true;
    out.push_back(static_cast<std::uint32_t>(d));
    inner = space.mul(inner, shape[d]);
  }
  std::ranges::reverse(out);
  return out;
}

/// The placements at the sample in which the fewest places are empty.
std::vector<Placement> sampled(const PlanScene& scene, const PlacedStorages& placed,
                               const std::vector<SymbolValues>& samples) {
  std::vector<Placement> best;
  std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::max();
  for (const SymbolValues& symbols : samples) {
    std::vector<Placement> all;
    for (const PlacedStorage& one : placed.storages)
      if (const auto at = placement_of(scene, one, symbols)) all.push_back(*at);
    const auto empty = std::ranges::count(all, 0, &Placement::size);
    if (all.size() == placed.storages.size() && empty < least) best = std::move(all), least = empty;
  }
  return best;
}

}  // namespace

TracePlacement stated_place(const PlanScene& scene, const PlacedStorage& one, const PlanNumbers& numbers) {
  TracePlacement out;
  out.name = one.name;
  out.arena = one.arena;
  out.offset = one.base;
  out.size = size_of(scene, one, numbers);
  out.storage = one.storage;
  if (one.storage) out.order = memory_order(scene.space, one);
  return out;
}

bool find_neighbours(const PlanScene& scene, const PlacedStorages& placed,
                     const std::vector<SymbolValues>& samples, std::vector<TracePlacement>& stated) {
  std::vector<Placement> all = sampled(scene, placed, samples);
  if (all.size() != stated.size()) return false;
  for (std::size_t k = 0; k < all.size(); ++k) all[k].first = stated[k].first, all[k].last = stated[k].last;
  SweepHooks hooks;
  hooks.takes_over = [](std::uint32_t, std::uint32_t) { return true; };  // the checker decides it
  const SweepAnswer swept = sweep(all, hooks);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (swept.below[k] != SweepAnswer::kNone) stated[k].below = swept.below[k];
  return true;
}

void run_by_rows(Trace& trace, const Case& value) {
  for (TraceStep& step : trace.steps) {
    if (rows_of_kernel(std::string_view(*step.key).substr(0, step.key->find(';')), value) != Rows::one_by_one)
      continue;
    for (std::size_t r = 0; r < step.reads.size(); ++r)
      for (std::size_t w = 0; w < step.writes.size(); ++w)
        if (step.access[r][w] == Access::any_time && step.reads[r].shape == step.writes[w].shape)
          step.access.edit()[r][w] = Access::elementwise;
  }
}

std::vector<TracePlacement> stated_places(const PlanScene& scene, const PlacedStorages& placed,
                                          const PlanNumbers& numbers,
                                          const std::vector<SymbolValues>& samples) {
  if (!placed.guards.empty()) return {};
  const std::int64_t steps = scene.value.after.steps.size();
  const std::int64_t end = std::max<std::int64_t>(steps, steps_counted(scene.traced.after)) + 1;
  std::vector<TracePlacement> out;
  for (const PlacedStorage& one : placed.storages) {
    if (one.first < 0 || one.last < 0 || one.first >= kLatest || one.last >= kLatest) return {};
    TracePlacement place = stated_place(scene, one, numbers);
    place.first = static_cast<std::uint32_t>(one.first);
    place.last = static_cast<std::uint32_t>(one.storage && one.last > steps ? end : one.last);
    out.push_back(std::move(place));
  }
  if (!find_neighbours(scene, placed, samples, out)) return {};
  return out;
}

}  // namespace noclobber
