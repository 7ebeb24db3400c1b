// What steps may do to the storages they touch, in which order, and where in an arena these lie.
#include <algorithm>
#include <array>
#include <bit>
#include <ranges>

#include "checker/trace.h"

namespace noclobber::checker {
namespace {

constexpr std::size_t kPlaces = 1U << 13, kPairs = 1U << 24;  // that are compared; none is believed beyond
struct Touch {
  std::uint32_t origin = 0;
  bool writes = false;
  View view;
};

/// What each storage is touched by, in listed order. Conditions of branches are read where they are used.
std::vector<std::vector<Touch>> touches(const Trace& trace) {
  std::vector<std::vector<Touch>> out(trace.storages.size());
  for (const Step& step : trace.steps) {
    const auto touch = [&](const View& v, bool w) { out[v.storage].push_back({step.origin, w, v}); };
    for (const auto& [guard, wanted] : trace.guards_of(step)) touch(trace.guards[guard].view, false);
    for (const View& view : trace.reads(step)) touch(view, false);
    for (const View& view : trace.writes(step)) touch(view, true);
  }
  return out;
}

bool fits(Space& space, PolyId first, PolyId size, PolyId end) {
  return space.nonnegative(space.sub(end, space.add(first, size)));
}

/// (How far apart, earlier, later): graph steps that disturb each other, but what follows from a write
/// between. So do those that use two storages which lie on the same bytes one after the other.
std::vector<std::array<std::uint32_t, 3>> disturbing(Space& space, const Trace& trace) {
  std::vector<std::array<std::uint32_t, 3>> out;
  const auto uses = touches(trace);
  for (const Placement& p : trace.placements)
    for (const Placement& q : trace.placements) {
      const bool on = p.storage && q.storage && p.arena == q.arena && p.last <= q.first &&
                      !fits(space, p.offset, p.size, q.offset) && !fits(space, q.offset, q.size, p.offset);
      for (std::size_t k = 0; on && out.size() < kPairs && k < uses[*p.storage].size(); ++k)
        for (const Touch& b : uses[*q.storage]) out.push_back({0, uses[*p.storage][k].origin, b.origin});
      if (out.size() >= kPairs || trace.placements.size() > kPlaces) return {{0, ~0U, ~0U}};
    }
  for (const std::vector<Touch>& all : uses) {
    std::vector<Touch> seen, wrote;
    for (const Touch& b : all) {
      for (const Touch& a : std::views::reverse(b.writes ? seen : wrote)) {
        if (a.origin == b.origin || apart(space, a.view, b.view)) continue;
        out.push_back({std::bit_width(b.origin - a.origin) / 2U, a.origin, b.origin});
        if (a.writes && (a.view.form->maps.empty() || a.view.form->place == b.view.form->place)) break;
      }
      seen.push_back(b);
      if (b.writes) wrote.push_back(b);
    }
  }
  std::ranges::sort(out);
  return out;
}

/// Does the placement live through every use of its storage?
bool lives(const Trace& trace, const Placement& p, const std::vector<std::vector<Touch>>& uses) {
  if (!p.storage) return true;
  for (const Touch& t : uses[*p.storage])
    if (t.origin < p.first || t.origin >= p.last) return false;
  const StorageForm& s = *trace.storages[*p.storage].form;
  bool leaves = s.start == Start::given && s.compared;
  for (const Output& o : trace.outputs) leaves = leaves || (o.view && o.view->storage == *p.storage);
  return !(s.start == Start::given && p.first > 0) && !(leaves && p.last <= trace.origins());
}
}  // namespace

bool clean_step(Space& space, const Trace& trace, const Step& step) {
  const auto reads = trace.reads(step), writes = trace.writes(step);
  for (std::size_t w = 0; w < writes.size(); ++w) {
    const View& write = writes[w];
    if (!injective(space, *write.form)) return false;
    for (std::size_t other = 0; other < w; ++other)
      if (!apart(space, write, writes[other])) return false;
    for (std::size_t r = 0; r < reads.size(); ++r) {
      const View& read = reads[r];
      const Access access = step.form->access[r][w];
      const bool fine =
          access == Access::before_write || read.storage != write.storage ||
          (access == Access::elementwise && ((read.form->maps.empty() && write.form->maps.empty()) ||
                                             same_elements(space, *read.form, *write.form)));
      if (!fine && !apart(space, read, write)) return false;
    }
  }
  return true;
}

bool ordered(Space& space, const Trace& trace) {
  if (std::ranges::any_of(trace.edges, [](const auto& e) { return e.first >= e.second; })) return false;
  const std::uint32_t steps = trace.origins();
  const auto all = disturbing(space, trace);
  std::vector<std::uint64_t> after(steps);  // per step: the first steps of which pairs must run before it
  for (std::size_t k = 0; k < all.size(); k += 64) {
    const auto some = std::span(all).subspan(k, std::min<std::size_t>(64, all.size() - k));
    std::uint32_t low = steps, high = 0;
    for (const auto& [far, a, b] : some) low = std::min({low, a, b}), high = std::max({high, a, b});
    if (high >= steps) return false;
    std::fill(after.begin() + low, after.begin() + high + 1, 0);
    for (std::size_t q = 0; q < some.size(); ++q) after[some[q][1]] |= 1ULL << q;
    auto e = std::ranges::lower_bound(trace.edges, std::pair(low, 0U));
    for (; e != trace.edges.end() && e->first < high; ++e)
      if (e->second <= high) after[e->second] |= after[e->first];
    for (std::size_t q = 0; q < some.size(); ++q)
      if ((after[some[q][2]] >> q & 1) == 0) return false;
  }
  return true;
}

std::vector<bool> placed(Space& space, const Trace& trace) {
  const std::vector<Placement>& all = trace.placements;
  const auto uses = touches(trace);
  std::vector<std::uint32_t> starts;
  std::vector<bool> out(all.size());
  for (std::uint32_t k = 0; k < all.size(); ++k) {
    const Placement& p = all[k];
    out[k] = p.arena < trace.arenas.size() && space.nonnegative(p.offset) && space.nonnegative(p.size) &&
             fits(space, p.offset, p.size, trace.arenas[p.arena]) && lives(trace, p, uses);
    if (out[k] && p.size != 0 && p.first < p.last) starts.push_back(k);
  }
  std::ranges::stable_sort(starts, {}, [&](std::uint32_t k) { return all[k].first; });
  std::vector<std::vector<std::uint32_t>> alive(trace.arenas.size());  // from low to high bytes
  for (std::uint32_t k : starts) {
    const Placement& p = all[k];
    std::vector<std::uint32_t>& here = alive[p.arena];
    std::erase_if(here, [&](std::uint32_t j) { return all[j].last <= p.first; });
    auto at = p.below ? std::ranges::find(here, *p.below) : here.begin();
    const bool found = !p.below || at != here.end();
    if (p.below && found) ++at;
    out[k] = found && (!p.below || fits(space, all[*p.below].offset, all[*p.below].size, p.offset)) &&
             (at == here.end() || fits(space, p.offset, p.size, all[*at].offset));
    if (out[k]) here.insert(at, k);
  }
  return out;
}

}  // namespace noclobber::checker
