#include "src/prover/order_advice.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/graph/uses.h"
#include "src/prover/order_reach.h"

namespace noclobber {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

constexpr std::size_t kMostPairs = 2000, kMostBarriers = 200, kMostAdvised = 5000;

/// The first step of each step's statement.
std::vector<std::uint32_t> statements_of(const Graph& graph) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    const std::uint32_t unit = graph.steps[k].unit;
    const bool goes_on = k > 0 && unit != 0 && graph.steps[k - 1].unit == unit;
    out.push_back(goes_on ? out.back() : k);
  }
  return out;
}

/// Edges between statements.
std::vector<Edge> lifted(const std::vector<Edge>& edges, const std::vector<std::uint32_t>& statement) {
  std::vector<Edge> out;
  for (const auto& [from, to] : edges)
    if (statement[from] != statement[to]) out.emplace_back(statement[from], statement[to]);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool is_operand(const Graph& graph, std::uint32_t from, std::uint32_t to) {
  return std::ranges::any_of(uses_of(graph.steps[to]), [&](ValueId id) {
    return id.valid() && graph.value(id).from == Value::From::step && graph.value(id).at == from;
  });
}

/// The dependences of a graph when some of its barriers are left out. A barrier that is left out passes its
/// operands through and orders nothing else.
class Barriers {
 public:
  explicit Barriers(const Graph& graph) : graph_(graph), statement_(statements_of(graph)) {
    for (std::uint32_t k = 0; k < graph.steps.size(); ++k)
      if (graph.steps[k].barrier && statement_[k] == k) all_.push_back(k);
    for (const Edge& edge : order_edges(graph)) {
      const bool at_barrier = graph.steps[edge.first].barrier || graph.steps[edge.second].barrier;
      edges_.emplace_back(edge, !at_barrier || is_operand(graph, edge.first, edge.second));
    }
  }

  const std::vector<std::uint32_t>& all() const { return all_; }
  const std::vector<std::uint32_t>& statement() const { return statement_; }

  std::vector<Edge> without(const std::set<std::uint32_t>& left_out) const {
    std::vector<Edge> out;
    for (const auto& [edge, stays] : edges_)
      if (stays ||
          (!left_out.contains(statement_[edge.first]) && !left_out.contains(statement_[edge.second])))
        out.push_back(edge);
    return out;
  }

  /// True if the pairs stay ordered.
  bool still(const std::vector<Unordered>& pairs, const std::set<std::uint32_t>& left_out) const {
    const auto order = OrderGraph::of(static_cast<std::uint32_t>(graph_.steps.size()), without(left_out));
    if (!order) return false;
    return std::ranges::all_of(ordered_pairs(*order, pairs), [](bool is) { return is; });
  }

 private:
  const Graph& graph_;
  std::vector<std::uint32_t> statement_, all_;
  std::vector<std::pair<Edge, bool>> edges_;
};

/// The fused regions, and which of them could be joined: those with only idle barriers in between.
class Regions {
 public:
  Regions(const Graph& graph, const std::vector<std::uint32_t>& statement,
          const std::set<std::uint32_t>& idle, const std::vector<Edge>& edges)
      : idle_(idle) {
    for (std::uint32_t k = 0; k < graph.steps.size(); ++k)
      if (graph.steps[k].fused && statement[k] == k) joined_[k] = k;
    for (const auto& [from, to] : lifted(edges, statement)) next_[from].push_back(to);
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(joined_.size()); }

  std::uint32_t joins() {
    std::uint32_t out = 0;
    std::vector<std::uint32_t> regions;
    for (const auto& [region, unused] : joined_) regions.push_back(region);
    for (const std::uint32_t region : regions)
      for (const std::uint32_t other : across(region, true)) {
        if (across(region, false).contains(other) || root(region) == root(other)) continue;
        joined_[root(other)] = root(region);
        ++out;
      }
    return out;
  }

 private:
  std::uint32_t root(std::uint32_t region) const {
    while (joined_.at(region) != region) region = joined_.at(region);
    return region;
  }

  /// The regions reachable from `from` through idle barriers alone (at least one), or, if not `idle`, through
  /// at least one step of another kind.
  std::set<std::uint32_t> across(std::uint32_t from, bool idle) const {
    std::set<std::uint32_t> out;
    std::set<std::pair<std::uint32_t, bool>> seen;
    std::vector<std::pair<std::uint32_t, bool>> open{
        {from, false}};  // a step, and whether another was passed
    while (!open.empty()) {
      const auto [at, other] = open.back();
      open.pop_back();
      const auto next = next_.find(at);
      if (next == next_.end()) continue;
      for (const std::uint32_t to : next->second) {
        if (joined_.contains(to) && (idle ? !other && at != from : other)) out.insert(to);
        const bool passes = other || !idle_.contains(to);
        if ((!idle || !passes) && seen.emplace(to, passes).second) open.emplace_back(to, passes);
      }
    }
    return out;
  }

  const std::set<std::uint32_t>& idle_;
  std::map<std::uint32_t, std::uint32_t> joined_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> next_;
};

}  // namespace

std::vector<Unordered> least_dependences(const Graph& graph, const std::vector<Unordered>& open) {
  const std::vector<std::uint32_t> statement = statements_of(graph);
  std::vector<Edge> asked;
  for (const Unordered& pair : open) asked.emplace_back(pair.first, pair.second);
  asked = lifted(asked, statement);
  if (asked.size() > kMostPairs) return {};
  std::vector<Edge> edges = lifted(order_edges(graph), statement);
  edges.insert(edges.end(), asked.begin(), asked.end());
  const auto order = OrderGraph::of(static_cast<std::uint32_t>(graph.steps.size()), edges);
  if (!order) return {};
  // The order of a pair follows if its first step runs before another one that must run before its second.
  std::vector<OrderQuery> queries;
  std::vector<std::size_t> about;
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const std::uint32_t first = order->number(asked[k].first);
    for (const std::uint32_t before : order->before(order->number(asked[k].second)))
      if (before > first) {
        queries.push_back({first, before});
        about.push_back(k);
      }
  }
  const std::vector<bool> answers = ordered(*order, queries);
  std::vector<bool> follows(asked.size(), false);
  for (std::size_t q = 0; q < about.size(); ++q)
    if (answers[q]) follows[about[q]] = true;
  std::vector<Unordered> out;
  for (std::size_t k = 0; k < asked.size(); ++k)
    if (!follows[k]) out.push_back({asked[k].first, asked[k].second});
  return out;
}

BarrierAdvice barrier_advice(Space& space, const Graph& graph, const Trace& trace) {
  const Barriers barriers(graph);
  BarrierAdvice out;
  out.barriers = static_cast<std::uint32_t>(barriers.all().size());
  if (barriers.all().empty() || barriers.all().size() > kMostBarriers || graph.steps.size() > kMostAdvised)
    return out;
  auto pairs = conflicting_steps(space, graph, trace);
  const auto order = OrderGraph::of(static_cast<std::uint32_t>(graph.steps.size()), barriers.without({}));
  if (!pairs || !order) return out;
  const std::vector<bool> now = ordered_pairs(*order, *pairs);
  std::vector<Unordered> kept;
  for (std::size_t k = 0; k < pairs->size(); ++k)
    if (now[k]) kept.push_back((*pairs)[k]);
  std::set<std::uint32_t> idle;
  for (const std::uint32_t barrier : barriers.all()) {
    idle.insert(barrier);
    if (!barriers.still(kept, idle)) idle.erase(barrier);
  }
  out.idle.assign(idle.begin(), idle.end());
  Regions regions(graph, barriers.statement(), idle, barriers.without(idle));
  out.regions = regions.count();
  out.split = regions.joins();
  return out;
}

}  // namespace noclobber
