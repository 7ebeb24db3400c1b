// Placements in arenas: inside, alive long enough, and apart from whatever is alive at the same time.
#include <algorithm>

#include "checker/obligation.h"

namespace noclobber {

namespace {
constexpr std::uint32_t kNone = 0xffffffffU;

/// The placements alive at one time, each linked to its neighbours in bytes.
struct Alive {
  Space& space;
  const std::vector<TracePlacement>& all;
  std::vector<std::uint32_t> above, below;
  std::vector<bool> here;
  std::vector<std::uint32_t> lowest;  // per arena

  PolyId end(std::uint32_t k) const { return space.add(all[k].offset, all[k].size); }
  bool fits(std::uint32_t low, std::uint32_t high) {
    return low == kNone || high == kNone || space.nonnegative(space.sub(all[high].offset, end(low)));
  }
  bool enter(std::uint32_t k) {
    const std::uint32_t under = all[k].below.value_or(kNone);
    if (under != kNone && (under >= all.size() || !here[under] || all[under].arena != all[k].arena))
      return false;
    std::uint32_t& up = under == kNone ? lowest[all[k].arena] : above[under];
    if (!fits(under, k) || !fits(k, up)) return false;
    above[k] = up, below[k] = under, here[k] = true;
    if (up != kNone) below[up] = k;
    up = k;
    return true;
  }
  void leave(std::uint32_t k) {
    if (!here[k]) return;
    here[k] = false;
    (below[k] == kNone ? lowest[all[k].arena] : above[below[k]]) = above[k];
    if (above[k] != kNone) below[above[k]] = below[k];
  }
};

/// Does the placement live through every use of its storage?
bool lives(const Trace& trace, const TracePlacement& p) {
  if (!p.storage) return true;
  const auto touches = [&](const TraceView& view) { return view.storage == *p.storage; };
  std::uint32_t count = 0;
  for (const TraceStep& step : trace.steps) {
    count = std::max(count, step.origin + 1);
    const bool used = std::any_of(step.reads.begin(), step.reads.end(), touches) ||
                      std::any_of(step.writes.begin(), step.writes.end(), touches) ||
                      std::any_of(step.guards.begin(), step.guards.end(),
                                  [&](const auto& g) { return touches(trace.guards[g.first].view); });
    if (used && (step.origin < p.first || step.origin >= p.last)) return false;
  }
  const bool given = trace.storages[*p.storage].start == TraceStorage::Start::given;
  const bool leaves = (given && trace.storages[*p.storage].compared) ||
                      std::any_of(trace.outputs.begin(), trace.outputs.end(),
                                  [&](const TraceOutput& o) { return o.view && touches(*o.view); });
  return !(given && p.first > 0) && !(leaves && p.last <= count);
}
}  // namespace

std::vector<bool> placed(Space& space, const Trace& trace) {
  const std::vector<TracePlacement>& all = trace.placements;
  std::vector<std::uint32_t> starts, ends;
  std::vector<bool> out(all.size());
  for (std::uint32_t k = 0; k < all.size(); ++k) {
    const TracePlacement& p = all[k];
    out[k] = p.arena < trace.arenas.size() && space.nonnegative(p.offset) && space.nonnegative(p.size) &&
             space.nonnegative(space.sub(trace.arenas[p.arena], space.add(p.offset, p.size))) &&
             lives(trace, p);
    if (out[k] && p.size != 0 && p.first < p.last) starts.push_back(k);
  }
  ends = starts;
  std::stable_sort(starts.begin(), starts.end(), [&](auto a, auto b) { return all[a].first < all[b].first; });
  std::stable_sort(ends.begin(), ends.end(), [&](auto a, auto b) { return all[a].last < all[b].last; });
  const std::vector<std::uint32_t> none(all.size(), kNone);
  Alive alive{space, all, none, none, std::vector<bool>(all.size()), {}};
  alive.lowest.assign(trace.arenas.size(), kNone);
  auto next_end = ends.begin();
  for (std::uint32_t k : starts) {
    for (; next_end != ends.end() && all[*next_end].last <= all[k].first; ++next_end) alive.leave(*next_end);
    out[k] = alive.enter(k);
  }
  return out;
}

}  // namespace noclobber
