// Memory plans: a placement must lie inside its arena, be live at every use, and overlap no other placement
// that is live at the same time.
#include <algorithm>

#include "src/second/direct_judge.h"

namespace noclobber {

namespace {

/// The graph steps that read or write the storage.
std::vector<std::uint32_t> uses_of_storage(const Trace& trace, StorageId storage) {
  std::vector<std::uint32_t> out;
  const auto touches = [&](const TraceView& view) { return view.storage == storage; };
  for (const TraceStep& step : trace.steps) {
    const bool used = std::any_of(step.reads.begin(), step.reads.end(), touches) ||
                      std::any_of(step.writes.begin(), step.writes.end(), touches);
    if (used) out.push_back(step.origin);
  }
  return out;
}

bool lives_long_enough(const Trace& trace, const TracePlacement& p) {
  if (!p.storage) return true;
  for (std::uint32_t at : uses_of_storage(trace, *p.storage))
    if (at < p.first || at >= p.last) return false;
  std::uint32_t end = 0;  // one past the last graph step
  for (const TraceStep& step : trace.steps) end = std::max(end, step.origin + 1);
  const TraceStorage& storage = trace.storages[*p.storage];
  const bool input = storage.start == TraceStorage::Start::given;
  const bool seen_at_exit =
      (input && storage.compared) ||
      std::any_of(trace.outputs.begin(), trace.outputs.end(),
                  [&](const TraceOutput& o) { return o.view && o.view->storage == *p.storage; });
  return (!input || p.first == 0) && (!seen_at_exit || p.last > end);
}

}  // namespace

bool DirectJudge::placed(std::uint32_t number) {
  const TracePlacement& p = after_.placements[number];
  if (p.arena >= after_.arenas.size() || !lives_long_enough(after_, p)) return false;
  const FormulaId one = f_.number(1), begin = sizes_.of(p.offset), size = sizes_.of(p.size);
  const FormulaId end = f_.add(begin, size);
  const FormulaId inside = f_.all({f_.at_least_zero(begin), f_.at_least_zero(size),
                                   f_.at_least_zero(f_.subtract(sizes_.of(after_.arenas[p.arena]), end))});
  if (!ask_.always(inside)) return false;
  for (std::size_t k = 0; k < after_.placements.size(); ++k) {
    const TracePlacement& other = after_.placements[k];
    const bool at_once = std::max(p.first, other.first) < std::min(p.last, other.last);
    if (k == number || other.arena != p.arena || !at_once) continue;
    const FormulaId low = sizes_.of(other.offset), extent = sizes_.of(other.size);
    const FormulaId meet =
        f_.all({f_.at_least_zero(f_.subtract(size, one)), f_.at_least_zero(f_.subtract(extent, one)),
                f_.at_least_zero(f_.subtract(f_.subtract(end, low), one)),
                f_.at_least_zero(f_.subtract(f_.subtract(f_.add(low, extent), begin), one))});
    if (!ask_.never(meet, DirectAsk::About::overlap)) return false;
  }
  return true;
}

}  // namespace noclobber
