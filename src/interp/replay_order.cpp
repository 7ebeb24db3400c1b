#include "src/interp/replay_order.h"

#include <algorithm>

#include "src/interp/replay_cause.h"
#include "src/ops/meaning.h"

namespace noclobber {

namespace {

using Bits = std::vector<bool>;

struct Touch {
  const Tensor* view = nullptr;
  ValueId value;
  bool writes = false;
};

/// ancestors[s][p]: step p must run before step s.
std::vector<Bits> ancestors_of(const Graph& graph) {
  const std::size_t n = graph.steps.size();
  std::map<std::string, std::uint32_t> by_name;
  std::map<std::string, std::uint32_t> last_in_stream;
  const bool streams = std::any_of(graph.steps.begin(), graph.steps.end(),
                                   [](const Step& s) { return !s.extras->stream.empty(); });
  std::vector<Bits> above(n, Bits(n, false));
  for (std::uint32_t s = 0; s < n; ++s) {
    const Step& step = graph.steps[s];
    const auto follow = [&](std::uint32_t p) {
      if (p >= s) return;
      above[s][p] = true;
      for (std::uint32_t q = 0; q < p; ++q) {
        if (above[p][q]) above[s][q] = true;
      }
    };
    for (const ValueId id : uses_of(step)) {
      if (id.valid() && graph.value(id).from == Value::From::step) follow(graph.value(id).at);
    }
    for (const std::string& name : step.extras->after) {
      if (const auto at = by_name.find(name); at != by_name.end()) follow(at->second);
    }
    if (streams) {
      if (const auto at = last_in_stream.find(step.extras->stream); at != last_in_stream.end())
        follow(at->second);
      last_in_stream[step.extras->stream] = s;
    }
    if (!step.extras->id.empty()) by_name[step.extras->id] = s;
    for (const ValueId id : step.results) {
      if (id.valid()) by_name[value_name(graph, id)] = s;
    }
  }
  return above;
}

std::vector<Touch> touches(const OpSet& ops, const Ran& ran, std::uint32_t s) {
  const Step& step = ran.graph->steps[s];
  const StepRefs refs = step_refs(ops, step);
  std::vector<Touch> out;
  const Tensor* made = step.results.empty() ? nullptr : view_in(*ran.run, step.results.front());
  for (const ValueId id : refs.operands) {
    const Tensor* view = view_in(*ran.run, id);
    const bool only_view = !refs.writes() && !refs.opaque && view != nullptr && made != nullptr &&
                           made->storage == view->storage;
    if (view != nullptr && !only_view) out.push_back({view, id, refs.opaque});
  }
  for (const ValueId id : refs.targets) {
    if (const Tensor* view = view_in(*ran.run, id)) out.push_back({view, id, true});
  }
  return out;
}

/// The access of `a` that conflicts with one of `b`; null if there is none.
const Touch* conflict(const std::vector<Touch>& a, const std::vector<Touch>& b) {
  for (const Touch& x : a) {
    for (const Touch& y : b) {
      if ((x.writes || y.writes) && x.view->storage == y.view->storage && share_bytes(*x.view, *y.view))
        return &x;
    }
  }
  return nullptr;
}

bool impure(const OpSet& ops, const Step& step) {
  if (is_return(step)) return true;
  if (const OpDecl* declared = ops.declaration(step.op); declared != nullptr) return !declared->pure;
  const Schema* schema = ops.find(step.op);
  return schema != nullptr &&
         (is_random(base_name(step.op), *schema) || is_impure(base_name(step.op), *schema));
}

/// The half-open range of steps of the statement that step `s` belongs to.
std::pair<std::uint32_t, std::uint32_t> unit_of(const Graph& graph, std::uint32_t s) {
  const std::uint32_t unit = graph.steps[s].unit;
  std::uint32_t begin = s, end = s + 1;
  if (unit == 0) return {begin, end};
  while (begin > 0 && graph.steps[begin - 1].unit == unit) --begin;
  while (end < graph.steps.size() && graph.steps[end].unit == unit) ++end;
  return {begin, end};
}

/// An order, and the number of pairs of steps that it reverses.
struct Candidate {
  std::vector<std::uint32_t> order;
  std::uint64_t turned = 0;
};

/// The listed order with the marked steps of [begin, end) before the others there.
Candidate marked_first(const Bits& marked, std::uint32_t begin, std::uint32_t end, std::size_t n) {
  Candidate out;
  std::uint64_t passed = 0;
  for (std::uint32_t s = 0; s < begin; ++s) out.order.push_back(s);
  for (std::uint32_t s = begin; s < end; ++s) {
    if (marked[s]) out.order.push_back(s);
    marked[s] ? out.turned += passed : ++passed;
  }
  for (std::uint32_t s = begin; s < end; ++s)
    if (!marked[s]) out.order.push_back(s);
  for (std::uint32_t s = end; s < n; ++s) out.order.push_back(s);
  return out;
}

/// True if every step runs after its ancestors, and every statement stays in one piece.
bool is_legal(const Graph& graph, const std::vector<Bits>& above, const std::vector<std::uint32_t>& order) {
  Bits done(order.size(), false);
  std::set<std::uint32_t> closed;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint32_t s = order[k];
    for (std::uint32_t p = 0; p < s; ++p)
      if (above[s][p] && !done[p]) return false;
    done[s] = true;
    const std::uint32_t unit = graph.steps[s].unit;
    if (unit == 0 || (k > 0 && graph.steps[order[k - 1]].unit == unit)) continue;
    if (!closed.insert(unit).second) return false;
  }
  return true;
}

/// Moves `second` up with its ancestors, or `first` down with its descendants, whichever reverses fewer
/// pairs. Empty if neither is legal.
std::vector<std::uint32_t> order_with(const Graph& graph, const std::vector<Bits>& above, std::uint32_t first,
                                      std::uint32_t second) {
  const std::size_t n = graph.steps.size();
  const auto [begin, first_end] = unit_of(graph, first);
  const auto [second_begin, end] = unit_of(graph, second);
  if (begin >= second_begin) return {};
  Bits up(n, false), down(n, true);
  for (std::uint32_t s = begin; s < end; ++s) {
    for (std::uint32_t t = second_begin; t < end; ++t) up[s] = up[s] || s == t || above[t][s];
    for (std::uint32_t t = begin; t < first_end; ++t) down[s] = down[s] && s != t && !above[s][t];
  }
  std::vector<Candidate> legal;
  for (const Bits* marked : {&up, &down}) {
    Candidate candidate = marked_first(*marked, begin, end, n);
    if (!(*marked)[first] && (*marked)[second] && is_legal(graph, above, candidate.order))
      legal.push_back(std::move(candidate));
  }
  if (legal.empty()) return {};
  return legal.size() == 2 && legal[1].turned < legal[0].turned ? legal[1].order : legal[0].order;
}

}  // namespace

std::vector<Swap> unordered_conflicts(const OpSet& ops, const Ran& listed, std::size_t most) {
  const std::size_t n = listed.graph->steps.size();
  std::vector<Swap> out;
  if (n > 4000) return out;
  const std::vector<Bits> above = ancestors_of(*listed.graph);
  std::vector<std::vector<Touch>> touched;
  for (std::uint32_t s = 0; s < n; ++s) touched.push_back(touches(ops, listed, s));
  std::set<std::pair<std::uint32_t, std::uint32_t>> met;  // statements with a conflict that is in `out`
  for (std::uint32_t second = 1; second < n; ++second) {
    if (is_return(listed.graph->steps[second - 1])) break;
    for (std::uint32_t first = 0; first < second; ++first) {
      if (above[second][first]) continue;
      const std::pair units{listed.graph->steps[first].unit, listed.graph->steps[second].unit};
      if (units.first != 0 && (units.first == units.second || met.contains(units))) continue;
      const bool leaves = is_return(listed.graph->steps[second]);
      const bool both = impure(ops, listed.graph->steps[first]) && impure(ops, listed.graph->steps[second]);
      const bool writes = leaves && step_refs(ops, listed.graph->steps[first]).writes();
      const Touch* through = conflict(touched[first], touched[second]);
      if (through == nullptr && !both && !writes) continue;
      std::vector<std::uint32_t> order = order_with(*listed.graph, above, first, second);
      if (order.empty()) continue;
      if (units.first != 0) met.insert(units);
      out.push_back({first, second, through != nullptr ? through->value : ValueId{}, std::move(order)});
      if (out.size() >= most) return out;
    }
  }
  return out;
}

}  // namespace noclobber
