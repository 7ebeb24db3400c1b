// Accesses of steps to storages. Orders of steps and places in arenas are decided by the checker alone.
#include <algorithm>

#include "src/trace/trace.h"

namespace noclobber {

Index root_index(Space& space, const TraceView& view, Index index) {
  for (auto m = view.maps.rbegin(); m != view.maps.rend(); ++m) index = forward(space, *m, index);
  return index;
}

bool same_elements(Space& space, const TraceView& a, const TraceView& b) {
  if (a.shape != b.shape || a.lanes != b.lanes) return false;
  const Index x = root_index(space, a, running(space, a));
  return x == root_index(space, b, running(space, b)) &&
         std::find(x.begin(), x.end(), Space::kBad) == x.end();
}

bool apart(Space& space, const TraceView& a, const TraceView& b) {
  if (a.storage != b.storage || element_count(space, a.shape) == 0 || element_count(space, b.shape) == 0)
    return true;
  const auto never = [&](const Condition& c) { return holds(space, c, {}) == Truth::no; };
  for (const auto& [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    const auto inside = view_inverse(space, *x, root_index(space, *y, running(space, *y)));
    if (inside && std::ranges::any_of(inside->conditions, never)) return true;
  }
  return false;
}

bool clean_step(Space& space, const TraceStep& step) {
  for (std::size_t w = 0; w < step.writes.size(); ++w) {
    for (std::size_t other = 0; other < w; ++other)
      if (!apart(space, step.writes[w], step.writes[other])) return false;
    for (std::size_t r = 0; r < step.reads.size(); ++r) {
      const Access access = step.access[r][w];
      const TraceView &read = step.reads[r], &write = step.writes[w];
      if (access == Access::before_write || read.storage != write.storage) continue;
      const bool all = read.maps.empty() && write.maps.empty();
      if (access == Access::elementwise && (all || same_elements(space, read, write))) continue;
      if (!apart(space, read, write)) return false;
    }
  }
  return true;
}

}  // namespace noclobber
