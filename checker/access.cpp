// What one step may do to the storages it touches.
#include <algorithm>

#include "checker/term.h"

namespace noclobber {

namespace {
bool injective(Space& space, const Trace& trace, const TraceView& view) {
  const TraceStorage& storage = trace.storages[view.storage];
  Index root = running(space, storage.shape);
  if (storage.lanes > 0) root.push_back(space.index(Space::kLane, space.constant(storage.lanes)));
  return view_inverse(space, view, root).has_value();
}

bool same_elements(Space& space, const TraceView& a, const TraceView& b) {
  if (a.shape != b.shape || a.lanes != b.lanes) return false;
  const Index x = root_index(space, a, running(space, a));
  const Index y = root_index(space, b, running(space, b));
  return x == y && std::find(x.begin(), x.end(), Space::kBad) == x.end();
}
}  // namespace

Index root_index(Space& space, const TraceView& view, Index index) {
  for (std::size_t k = view.maps.size(); k-- > 0;) index = forward(space, view.maps[k], index);
  return index;
}

std::optional<Inverse> view_inverse(Space& space, const TraceView& view, Index root) {
  Inverse out{{}, std::move(root)};
  for (const Map& map : view.maps) {
    std::optional<Inverse> step = inverse(space, map, out.index);
    if (!step) return std::nullopt;
    out.conditions.insert(out.conditions.end(), step->conditions.begin(), step->conditions.end());
    out.index = std::move(step->index);
  }
  return out;
}

Index running(Space& space, const TraceView& view) {
  Index out = running(space, view.shape);
  if (view.lanes > 0) out.push_back(space.index(Space::kLane, space.constant(view.lanes)));
  return out;
}

bool apart(Space& space, const TraceView& a, const TraceView& b) {
  if (a.storage != b.storage) return true;
  for (const auto& [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    const auto inside = view_inverse(space, *x, root_index(space, *y, running(space, *y)));
    if (!inside) continue;
    for (const Condition& c : inside->conditions)
      if (holds(space, c, {}) == Truth::no) return true;
  }
  return false;
}

bool clean_step(Space& space, const Trace& trace, const TraceStep& step) {
  for (std::size_t w = 0; w < step.writes.size(); ++w) {
    if (!injective(space, trace, step.writes[w])) return false;
    for (std::size_t other = 0; other < w; ++other)
      if (!apart(space, step.writes[w], step.writes[other])) return false;
    for (std::size_t r = 0; r < step.reads.size(); ++r) {
      const Access access = step.access[r][w];
      if (access == Access::before_write || apart(space, step.reads[r], step.writes[w])) continue;
      if (access != Access::elementwise || !same_elements(space, step.reads[r], step.writes[w])) return false;
    }
  }
  return true;
}

}  // namespace noclobber
