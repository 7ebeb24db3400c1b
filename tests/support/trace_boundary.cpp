#include "tests/support/trace_boundary.h"

#include <algorithm>
#include <tuple>

#include "tests/support/evaluate.h"
#include "tests/support/trace_run.h"

namespace noclobber::testing {
namespace {

using Symbols = std::map<std::string, std::int64_t>;
constexpr std::uint32_t kMostSteps = 4096;

bool facts_hold(const Space& space, const Symbols& symbols) {
  Choice choice;
  choice.symbols = symbols;
  return std::all_of(space.facts().begin(), space.facts().end(),
                     [&](PolyId f) { return evaluate(space, f, choice).value_or(-1) >= 0; });
}

std::optional<std::int64_t> number(const Space& space, PolyId poly, const Symbols& symbols) {
  Choice choice;
  choice.symbols = symbols;
  return evaluate(space, poly, choice);
}

std::string type_difference(const Space& space, const Trace& before, const Trace& after,
                            const Boundary& boundary, const Symbols& symbols) {
  for (std::size_t k = 0; k < std::min(before.outputs.size(), after.outputs.size()); ++k) {
    const TraceOutput &a = before.outputs[k], &b = after.outputs[k];
    if (a.scalar != b.scalar || a.view.has_value() != b.view.has_value()) return "kind of an output";
    if (!a.view) continue;
    if (a.view->type != b.view->type || a.view->shape.size() != b.view->shape.size())
      return "type of an output";
    for (std::size_t d = 0; d < a.view->shape.size(); ++d) {
      const auto extent = number(space, a.view->shape[d], symbols);
      if (extent != number(space, b.view->shape[d], symbols)) return "shape of an output";
      if (!boundary.compare_strides || !a.strides_known || !b.strides_known || extent == 1) continue;
      if (number(space, a.strides[d], symbols) != number(space, b.strides[d], symbols))
        return "strides of an output";
    }
  }
  return "";
}

std::string claim_difference(const Space& space, const Trace& trace, const Symbols& symbols) {
  for (const TraceClaim& c : trace.claims)
    if (number(space, c.said, symbols) != number(space, c.computed, symbols)) return "claim of " + c.what;
  return trace.unknown.empty() ? "" : "not modelled";
}

/// A cell of a storage that the caller has is one in both Traces.
using Cell = std::tuple<bool, std::string, StorageId, std::size_t>;

std::optional<std::vector<Cell>> cells(const Space& space, const Trace& trace, const TraceView& view,
                                       const Symbols& symbols) {
  const auto at = cells_of(space, trace, view, symbols);
  if (!at) return std::nullopt;
  const TraceStorage& s = trace.storages[view.storage];
  const bool given = s.start == TraceStorage::Start::given;
  std::vector<Cell> out;
  for (const std::size_t c : *at)
    out.emplace_back(given, given ? s.key.text() : "", given ? 0 : view.storage, c);
  return out;
}

/// Places of `is` that are one, or one with a cell of the caller's, and were not in `was`.
std::string sharing_growth(const Space& space, const Trace& was, const Trace& is, const Boundary& boundary,
                           const Symbols& symbols) {
  struct Place {
    std::uint32_t output;
    Cell then;
  };
  std::map<Cell, std::vector<Place>> there;
  for (std::uint32_t k = 0; k < std::min(was.outputs.size(), is.outputs.size()); ++k) {
    const auto &old = was.outputs[k].view, &view = is.outputs[k].view;
    const auto then = old ? cells(space, was, *old, symbols) : std::nullopt,
               now = view ? cells(space, is, *view, symbols) : std::nullopt;
    if (!then || !now || then->size() != now->size()) continue;
    const bool anew = std::ranges::any_of(boundary.may_share, [&](const auto& p) { return p.first == k; });
    for (std::size_t e = 0; e < now->size() && !anew; ++e) {
      const std::string name = "output " + std::to_string(k);
      if (std::get<0>((*now)[e]) && (*now)[e] != (*then)[e]) return name + " shares with an input";
      std::vector<Place>& all = there[(*now)[e]];
      for (const Place& other : all)
        if (other.then != (*then)[e]) return name + " shares with output " + std::to_string(other.output);
      all.push_back({k, (*then)[e]});
    }
  }
  return "";
}

std::string contents_difference(const Space& space, const Trace* before, const Trace& after,
                                const Symbols& symbols, bool& usable) {
  const TraceRun b = run_trace(space, after, symbols, 2);
  usable = usable && b.usable;
  if (before == nullptr) return b.usable && any_undefined(b) ? "reads what nothing wrote" : "";
  const TraceRun a = run_trace(space, *before, symbols, 1);
  usable = usable && a.usable;
  const std::string out = a.usable && b.usable ? trace_difference(a, b) : "";
  return out.ends_with(" is new") ? "" : out;  // compares more than it has to
}

}  // namespace

Trace in_some_order(const Trace& trace, Random& random) {
  std::uint32_t count = 0;
  for (const TraceStep& s : trace.steps) count = std::max(count, s.origin + 1);
  for (const auto& [earlier, later] : trace.edges) count = std::max({count, earlier + 1, later + 1});
  if (count > kMostSteps) return trace;
  std::vector<std::uint32_t> waits(count), place(count), ready;
  for (const auto& [earlier, later] : trace.edges) ++waits[later];
  for (std::uint32_t k = 0; k < count; ++k)
    if (waits[k] == 0) ready.push_back(k);
  for (std::uint32_t position = 0; !ready.empty(); ++position) {
    const auto at = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(ready.size())));
    const std::uint32_t step = ready[at];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(at));
    place[step] = position;
    for (const auto& [earlier, later] : trace.edges)
      if (earlier == step && --waits[later] == 0) ready.push_back(later);
  }
  Trace out = trace;
  std::stable_sort(out.steps.begin(), out.steps.end(),
                   [&](const TraceStep& a, const TraceStep& b) { return place[a.origin] < place[b.origin]; });
  return out;
}

/// In the step that is the last of one and the first of the other: is nothing lost that is still read?
bool taken_over(const Trace& trace, const TracePlacement& p, const TracePlacement& q) {
  if (!p.storage || !q.storage || p.last != q.first + 1 || p.first >= q.first) return false;
  const auto touches = [](const TraceViews& all, StorageId storage) {
    return std::ranges::any_of(all, [&](const TraceView& v) { return v.storage == storage; });
  };
  bool born = false;
  for (const TraceStep& s : trace.steps) {
    if (s.origin != q.first) continue;
    const bool reads = touches(s.reads, *p.storage), writes = touches(s.writes, *q.storage);
    if (touches(s.writes, *p.storage) || touches(s.reads, *q.storage)) return false;
    if (born && reads) return false;
    born = born || writes;
    for (std::size_t r = 0; r < s.reads.size() && reads; ++r)
      for (std::size_t w = 0; w < s.writes.size() && writes; ++w) {
        if (s.reads[r].storage != *p.storage || s.writes[w].storage != *q.storage) continue;
        TraceView moved = s.reads[r];
        moved.storage = *q.storage, moved.type = s.writes[w].type;
        const bool one = s.access[r][w] == Access::elementwise && p.offset == q.offset &&
                         p.order == q.order && moved == s.writes[w];
        if (!one && s.access[r][w] != Access::before_write) return false;
      }
  }
  return true;
}

std::string placement_fault(const Space& space, const Trace& trace, const Symbols& symbols) {
  struct Span {
    std::int64_t low, high;
  };
  std::vector<Span> spans;
  for (const TracePlacement& p : trace.placements) {
    const auto offset = number(space, p.offset, symbols), size = number(space, p.size, symbols);
    if (p.arena >= trace.arenas.size() || !offset || !size || *size < 0) return p.name + " is nowhere";
    if (*offset < 0 || *offset + *size > number(space, trace.arenas[p.arena], symbols).value_or(-1))
      return p.name + " is outside of its arena";
    spans.push_back({*offset, *offset + *size});
    std::int64_t elements = p.storage ? 1 : 0;
    for (std::size_t d = 0; p.storage && d < trace.storages[*p.storage].shape.size(); ++d)
      elements *= number(space, trace.storages[*p.storage].shape[d], symbols).value_or(0);
    if (8 * *size < elements) return p.name + " has no room";
    std::uint32_t last_step = 0;
    const auto used = [&](const TraceView& v) { return p.storage && v.storage == *p.storage; };
    for (const TraceStep& s : trace.steps) {
      last_step = std::max(last_step, s.origin);
      const bool here = std::any_of(s.reads.begin(), s.reads.end(), used) ||
                        std::any_of(s.writes.begin(), s.writes.end(), used);
      if (here && (s.origin < p.first || s.origin >= p.last))
        return p.name + " is used while it is not alive";
    }
    for (const TraceOutput& o : trace.outputs)
      if (o.view && used(*o.view) && p.last <= last_step) return p.name + " is dead when it is returned";
  }
  for (std::size_t a = 0; a < spans.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const TracePlacement &p = trace.placements[a], &q = trace.placements[b];
      const bool together = std::max(p.first, q.first) < std::min(p.last, q.last) && p.arena == q.arena;
      if (taken_over(trace, p, q) || taken_over(trace, q, p)) continue;
      if (together && std::max(spans[a].low, spans[b].low) < std::min(spans[a].high, spans[b].high))
        return p.name + " meets " + q.name;
    }
  return "";
}

std::string sharing_difference(const Space& space, const Trace& before, const Trace& after,
                               const Boundary& boundary, const Symbols& symbols) {
  const std::string more =
      boundary.sharing_may_grow ? "" : sharing_growth(space, before, after, boundary, symbols);
  return !more.empty() || boundary.sharing_may_shrink
             ? more
             : sharing_growth(space, after, before, boundary, symbols);
}

Seen boundary_difference(const Space& space, const Trace* before, const Trace& after,
                         const Boundary& boundary, const Symbols& symbols, int orders, Random& random) {
  Seen out{facts_hold(space, symbols), ""};
  const auto note = [&](const std::string& what) {
    if (out.difference.empty()) out.difference = what;
  };
  note(contents_difference(space, before, after, symbols, out.usable));
  for (int k = 0; k < orders && after.any_order && out.usable; ++k)
    note(contents_difference(space, before, in_some_order(after, random), symbols, out.usable));
  if (!out.usable) return {false, ""};
  note(claim_difference(space, after, symbols));
  note(placement_fault(space, after, symbols));
  if (before == nullptr) return out;
  note(claim_difference(space, *before, symbols));
  note(type_difference(space, *before, after, boundary, symbols));
  note(sharing_difference(space, *before, after, boundary, symbols));
  return out;
}

}  // namespace noclobber::testing
