#include "src/prover/order.h"

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>
#include <map>
#include <set>

#include "checker/term.h"

namespace noclobber {
namespace {

using Dependences = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

constexpr std::size_t kSteps = 20000;

void uses(const Arg& arg, std::vector<ValueId>& out) {
  if (arg.kind == Arg::Kind::ref) out.push_back(arg.ref);
  for (const Arg& item : arg.list) uses(item, out);
}

/// An edge from each step to those that must run after it.
Dependences dependences(const Graph& graph) {
  Dependences out(graph.steps.size());
  std::map<std::string, std::uint32_t> by_name, last_of_stream;
  const bool streams =
      std::any_of(graph.steps.begin(), graph.steps.end(), [](const Step& s) { return !s.stream.empty(); });
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    if (!graph.steps[k].id.empty()) by_name[graph.steps[k].id] = k;
    for (ValueId id : graph.steps[k].results)
      if (id.valid()) by_name[graph.value(id).name] = k;
  }
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    const Step& step = graph.steps[k];
    std::vector<ValueId> read;
    for (const Arg& arg : step.args) uses(arg, read);
    for (const auto& [name, arg] : step.kwargs) uses(arg, read);
    for (ValueId id : read)
      if (graph.value(id).from == Value::From::step) boost::add_edge(graph.value(id).at, k, out);
    for (const std::string& name : step.after)
      if (const auto at = by_name.find(name); at != by_name.end()) boost::add_edge(at->second, k, out);
    if (!streams) continue;
    if (const auto at = last_of_stream.find(step.stream); at != last_of_stream.end())
      boost::add_edge(at->second, k, out);
    last_of_stream[step.stream] = k;
  }
  return out;
}

/// Per step, all that must run after it; nothing where the dependences are cyclic.
std::optional<std::vector<boost::dynamic_bitset<>>> later_steps(const Dependences& graph) {
  std::vector<Dependences::vertex_descriptor> order;  // successors first
  try {
    boost::topological_sort(graph, std::back_inserter(order));
  } catch (const boost::not_a_dag&) {
    return std::nullopt;
  }
  const std::size_t count = boost::num_vertices(graph);
  std::vector<boost::dynamic_bitset<>> out(count, boost::dynamic_bitset<>(count));
  for (const auto step : order) {
    const auto [begin, end] = boost::adjacent_vertices(step, graph);
    for (auto next = begin; next != end; ++next) {
      out[step] |= out[*next];
      out[step].set(*next);
    }
  }
  return out;
}

struct Touch {
  std::uint32_t origin = 0;
  bool writes = false;
  const TraceView* view = nullptr;
};

}  // namespace

OrderAnswer unordered_conflicts(Space& space, const Graph& graph, const Trace& trace) {
  OrderAnswer out;
  if (graph.steps.size() > kSteps) return out;
  const auto later = later_steps(dependences(graph));
  if (!later) return out;
  std::vector<std::vector<Touch>> touches(trace.storages.size());
  for (const TraceStep& step : trace.steps) {
    if (step.origin >= graph.steps.size()) continue;  // final contents: after every step
    for (const TraceView& view : step.reads) touches[view.storage].push_back({step.origin, false, &view});
    for (const TraceView& view : step.writes) touches[view.storage].push_back({step.origin, true, &view});
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> open;
  for (const std::vector<Touch>& all : touches)
    for (std::size_t b = 0; b < all.size(); ++b)
      for (std::size_t a = 0; a < b; ++a) {
        const Touch &x = all[a], &y = all[b];
        if (x.origin == y.origin || !(x.writes || y.writes)) continue;
        if ((*later)[x.origin].test(y.origin) || (*later)[y.origin].test(x.origin)) continue;
        if (!apart(space, *x.view, *y.view)) open.insert(std::minmax(x.origin, y.origin));
      }
  out.known = true;
  for (const auto& [first, second] : open) out.open.push_back({first, second});
  return out;
}

}  // namespace noclobber
