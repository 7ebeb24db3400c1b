#include "src/prover/order.h"

#include <algorithm>
#include <unordered_map>

#include "src/graph/uses.h"
#include "src/prover/order_reach.h"
#include "src/values/term.h"

namespace noclobber {
namespace {

constexpr std::uint64_t kOrderedPairs = 50'000'000;

/// Numbers views, equal ones alike, and remembers which pairs of them may overlap.
class ViewTable {
 public:
  explicit ViewTable(Space& space) : space_(space) {}

  std::uint32_t number(const TraceView& view) {
    std::vector<std::uint32_t>& same = by_hash_[hash(view)];
    for (const std::uint32_t known : same)
      if (*views_[known] == view) return known;
    same.push_back(static_cast<std::uint32_t>(views_.size()));
    views_.push_back(&view);
    return same.back();
  }
  bool meet(std::uint32_t a, std::uint32_t b) {
    if (a == b) return true;
    if (a > b) std::swap(a, b);
    const auto [at, fresh] = meet_.try_emplace((std::uint64_t{a} << 32) | b, true);
    if (fresh) at->second = !apart(space_, *views_[a], *views_[b]);
    return at->second;
  }
  /// True if every view that overlaps `inner` also overlaps `outer`.
  bool covers(std::uint32_t outer, std::uint32_t inner) const {
    return outer == inner || views_[outer]->maps.empty();
  }

 private:
  static std::uint64_t hash(const TraceView& view) {
    std::uint64_t out = view.storage;
    const auto mix = [&out](std::uint64_t x) { out = (out ^ x) * 0x9E3779B97F4A7C15ULL; };
    for (const Map& map : view.maps) {
      mix(static_cast<std::uint64_t>(map.kind));
      mix(map.dim);
      mix(map.start);
      mix(map.step);
      for (const PolyId extent : map.to) mix(extent);
    }
    for (const PolyId extent : view.shape) mix(extent);
    return out;
  }

  Space& space_;
  std::vector<const TraceView*> views_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;
  std::unordered_map<std::uint64_t, bool> meet_;
};

struct OrderTouch {
  std::uint32_t step = 0, view = 0;
  bool writes = false;
};

std::vector<std::vector<OrderTouch>> touches_by_storage(const Graph& graph, const Trace& trace,
                                                        ViewTable& views) {
  std::vector<std::vector<OrderTouch>> out(trace.storages.size());
  const auto note = [&](std::uint32_t step, const TraceView& view, bool writes) {
    std::vector<OrderTouch>& all = out[view.storage];
    const OrderTouch touch{step, views.number(view), writes};
    if (!all.empty() && all.back().step == step && all.back().view == touch.view &&
        all.back().writes == writes)
      return;
    all.push_back(touch);
  };
  for (const TraceStep& step : trace.steps) {
    if (step.origin >= graph.steps.size()) continue;  // final contents: after every step
    for (const TraceView& view : step.reads) note(step.origin, view, false);
    for (const TraceView& view : step.writes) note(step.origin, view, true);
  }
  return out;
}

/// Appends the conflicting pairs of one storage that are not already ordered by a step in between. False if
/// there are too many pairs to look at.
bool conflicts(const std::vector<OrderTouch>& all, ViewTable& views, std::uint64_t& budget,
               std::vector<Unordered>& out) {
  std::vector<std::size_t> writes;  // positions in `all`
  for (std::size_t b = 0; b < all.size(); ++b) {
    const OrderTouch& y = all[b];
    const auto ask = [&](const OrderTouch& x) {
      const bool both = x.step != y.step && (x.writes || y.writes) && views.meet(x.view, y.view);
      if (both) out.push_back({std::min(x.step, y.step), std::max(x.step, y.step)});
      return x.writes && x.step != y.step && views.covers(x.view, y.view);
    };
    if (y.writes) {
      for (std::size_t a = b; a-- > 0;) {
        if (budget-- == 0) return false;
        if (ask(all[a])) break;
      }
      writes.push_back(b);
    } else {
      for (auto a = writes.rbegin(); a != writes.rend(); ++a) {
        if (budget-- == 0) return false;
        if (ask(all[*a])) break;
      }
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<Unordered>> conflicting_steps(Space& space, const Graph& graph,
                                                        const Trace& trace) {
  ViewTable views(space);
  std::vector<Unordered> pairs;
  std::uint64_t budget = kOrderedPairs;
  for (const std::vector<OrderTouch>& all : touches_by_storage(graph, trace, views))
    if (!conflicts(all, views, budget, pairs)) return std::nullopt;
  std::ranges::sort(pairs, {}, [](const Unordered& p) { return std::pair(p.first, p.second); });
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::vector<bool> ordered_pairs(const OrderGraph& order, const std::vector<Unordered>& pairs) {
  std::vector<OrderQuery> queries;
  queries.reserve(pairs.size());
  for (const Unordered& pair : pairs) {
    const std::uint32_t a = order.number(pair.first), b = order.number(pair.second);
    queries.push_back({std::min(a, b), std::max(a, b)});
  }
  return ordered(order, queries);
}

OrderAnswer unordered_conflicts(Space& space, const Graph& graph, const Trace& trace) {
  OrderAnswer out;
  const auto order = OrderGraph::of(static_cast<std::uint32_t>(graph.steps.size()), order_edges(graph));
  if (!order) return out;
  const auto pairs = conflicting_steps(space, graph, trace);
  if (!pairs) return out;
  const std::vector<bool> answers = ordered_pairs(*order, *pairs);
  out.known = true;
  for (std::size_t k = 0; k < pairs->size(); ++k)
    if (!answers[k]) out.open.push_back((*pairs)[k]);
  return out;
}

}  // namespace noclobber
