// Where graph steps may run in every order that edges allow: is each conflict ordered?
#include <algorithm>

#include "checker/obligation.h"

namespace noclobber {

namespace {
struct Touch {
  std::uint32_t origin = 0;
  bool writes = false;
  const TraceView* view = nullptr;
};

/// What each storage is touched by, in listed order. Conditions of branches are read where they are used.
std::vector<std::vector<Touch>> touches(const Trace& trace) {
  std::vector<std::vector<Touch>> out(trace.storages.size());
  for (const TraceStep& step : trace.steps) {
    for (const auto& [guard, wanted] : step.guards) {
      const TraceView& view = trace.guards[guard].view;
      out[view.storage].push_back({step.origin, false, &view});
    }
    for (const TraceView& view : step.reads) out[view.storage].push_back({step.origin, false, &view});
    for (const TraceView& view : step.writes) out[view.storage].push_back({step.origin, true, &view});
  }
  return out;
}

/// Per graph step, which of the 64 steps from `base` on must have run before it.
std::vector<std::uint64_t> reached(const Trace& trace, std::uint32_t base, std::uint32_t count) {
  std::vector<std::uint64_t> out(count);
  for (std::uint32_t k = base; k < std::min(base + 64, count); ++k) out[k] = 1ULL << (k - base);
  for (const auto& [earlier, later] : trace.edges) out[later] |= out[earlier];
  return out;
}
}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> unordered(Space& space, const Trace& trace) {
  std::uint32_t count = 0;
  for (const TraceStep& step : trace.steps) count = std::max(count, step.origin + 1);
  for (const auto& [earlier, later] : trace.edges) {
    if (earlier >= later) return {{earlier, later}};
    count = std::max(count, later + 1);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  const auto all = touches(trace);
  for (std::uint32_t base = 0; base < count; base += 64) {
    const std::vector<std::uint64_t> before = reached(trace, base, count);
    for (const std::vector<Touch>& of_storage : all)
      for (auto a = of_storage.begin(); a != of_storage.end(); ++a) {
        if (a->origin < base || a->origin - base >= 64) continue;
        for (auto b = a + 1; b != of_storage.end(); ++b) {
          const bool conflict = a->origin != b->origin && (a->writes || b->writes);
          if (conflict && (before[b->origin] >> (a->origin - base) & 1) == 0 &&
              !apart(space, *a->view, *b->view))
            out.emplace_back(a->origin, b->origin);
        }
      }
  }
  return out;
}

}  // namespace noclobber
