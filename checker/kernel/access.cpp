// Accesses of steps: which ones disturb each other, and in which order they must run.
#include <array>
#include <bit>
#include <ranges>

#include "checker/kernel/touches.h"

namespace noclobber::checker {
namespace {

constexpr std::size_t kPairs = 1U << 24;  // in_turn() collects at most these; beyond, no order holds
/// (log of the distance, earlier, later): graph steps that must not run the other way round.
using Pair = std::array<std::uint32_t, 3>;
constexpr Pair kNever{0, ~0U, ~0U};

/// Appends the conflicting uses of one storage, except those whose order follows from a write in between.
void disturbing(Space& space, const std::vector<Touch>& all, std::vector<Pair>& out) {
  std::vector<const Touch*> seen, wrote;
  for (const Touch& b : all) {
    for (const Touch* a : std::views::reverse(b.writes ? seen : wrote)) {
      space.work(4);
      if (a->origin == b.origin || apart(space, a->view, b.view)) continue;
      out.push_back({std::bit_width(b.origin - a->origin) / 2U, a->origin, b.origin});
      if (a->writes && (a->view.form->maps.empty() || a->view.form->place == b.view.form->place)) break;
    }
    seen.push_back(&b);
    if (b.writes) wrote.push_back(&b);
  }
}

/// For two placements with the same bytes one after the other: all uses of one come before those of the
/// other. A placement without a storage is used by each graph step of its live range.
void in_turn(Space& space, const Trace& trace, const Touches& touches, std::vector<Pair>& out) {
  std::vector<std::vector<std::uint32_t>> uses(trace.placements.size());
  std::size_t all = 0;
  for (std::size_t k = 0; k < uses.size(); ++k) {
    const Placement& p = trace.placements[k];
    for (auto at = p.first; !p.storage && at < std::min(p.last, trace.origins()); ++at) uses[k].push_back(at);
    if (p.storage)
      for (const Touch& t : touches[*p.storage]) uses[k].push_back(t.origin);
    space.work(uses[k].size());
    if ((all += uses[k].size()) > kPairs) return out.push_back(kNever);
  }
  for (std::size_t k = 0; k < uses.size(); ++k)
    for (std::size_t m = 0; m < uses.size(); ++m) {
      const Placement &p = trace.placements[k], &q = trace.placements[m];
      space.work(4);
      if (p.arena != q.arena || p.last > std::uint64_t{q.first} + 1 || bytes_apart(space, p, q)) continue;
      for (const std::uint32_t a : uses[k])
        for (const std::uint32_t b : uses[m]) {
          if (out.size() >= kPairs) return out.push_back(kNever);
          if (a != b) out.push_back(a < b ? Pair{0, a, b} : kNever);
        }
    }
}

}  // namespace

Touches touches_of(const Trace& trace) {
  Touches out(trace.storages.size());
  for (std::uint32_t number = 0; number < trace.steps.size(); ++number) {
    const Step& step = trace.steps[number];
    const auto touch = [&](std::span<const View> views, bool writes) {
      for (std::uint32_t slot = 0; slot < views.size(); ++slot)
        out[views[slot].storage].push_back({step.origin, number, slot, writes, views[slot]});
    };
    touch(trace.reads(step), false);
    touch(trace.writes(step), true);
  }
  return out;
}

/// Lemma 6.
bool clean_step(Space& space, const Trace& trace, const Step& step) {
  const auto reads = trace.reads(step), writes = trace.writes(step);
  for (std::size_t w = 0; w < writes.size(); ++w) {
    const View& write = writes[w];
    space.work(w + reads.size());
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

/// Lemma 10.
bool ordered(Space& space, const Trace& trace) {
  if (std::ranges::any_of(trace.edges, [](const auto& e) { return e.first >= e.second; })) return false;
  const std::uint32_t steps = trace.origins();
  const Touches touches = touches_of(trace);
  std::vector<Pair> all;
  for (const std::vector<Touch>& one : touches) disturbing(space, one, all);
  in_turn(space, trace, touches, all);
  std::ranges::sort(all);
  std::vector<std::uint64_t> after(steps);  // per step: bit q if the earlier step of pair q precedes it
  for (std::size_t k = 0; k < all.size(); k += 64) {
    const auto some = std::span(all).subspan(k, std::min<std::size_t>(64, all.size() - k));
    std::uint32_t low = steps, high = 0;
    for (const auto& [far, a, b] : some) low = std::min({low, a, b}), high = std::max({high, a, b});
    if (high >= steps) return false;
    std::fill(after.begin() + low, after.begin() + high + 1, 0);
    for (std::size_t q = 0; q < some.size(); ++q) after[some[q][1]] |= 1ULL << q;
    auto e = std::ranges::lower_bound(trace.edges, std::pair(low, 0U));
    space.work(64 + (high - low) / 4);
    for (; e != trace.edges.end() && e->first < high; ++e) {
      space.work(1);
      if (e->second <= high) after[e->second] |= after[e->first];
    }
    for (std::size_t q = 0; q < some.size(); ++q)
      if ((after[some[q][2]] >> q & 1) == 0) return false;
  }
  return true;
}

}  // namespace noclobber::checker
