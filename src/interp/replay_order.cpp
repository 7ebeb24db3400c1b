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
  const bool streams =
      std::any_of(graph.steps.begin(), graph.steps.end(), [](const Step& s) { return !s.stream.empty(); });
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
    for (const ValueId id : all_refs(step)) {
      if (id.valid() && graph.value(id).from == Value::From::step) follow(graph.value(id).at);
    }
    for (const std::string& name : step.after) {
      if (const auto at = by_name.find(name); at != by_name.end()) follow(at->second);
    }
    if (streams) {
      if (const auto at = last_in_stream.find(step.stream); at != last_in_stream.end()) follow(at->second);
      last_in_stream[step.stream] = s;
    }
    if (!step.id.empty()) by_name[step.id] = s;
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

/// The touch of `a` through which it conflicts with `b`.
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
  if (step.op.starts_with("prims.return")) return true;
  if (const OpDecl* declared = ops.declaration(step.op); declared != nullptr) return !declared->pure;
  const Schema* schema = ops.find(step.op);
  return schema != nullptr &&
         (is_random(base_name(step.op), *schema) || is_impure(base_name(step.op), *schema));
}

std::vector<std::uint32_t> order_with(const Bits& needed, std::uint32_t first, std::size_t n) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t s = 0; s < n; ++s) {
    if (needed[s]) order.push_back(s);
  }
  order.push_back(first);
  for (std::uint32_t s = 0; s < n; ++s) {
    if (!needed[s] && s != first) order.push_back(s);
  }
  return order;
}

}  // namespace

std::vector<Swap> unordered_conflicts(const OpSet& ops, const Ran& listed, std::size_t most) {
  const std::size_t n = listed.graph->steps.size();
  std::vector<Swap> out;
  if (n > 4000) return out;
  const std::vector<Bits> above = ancestors_of(*listed.graph);
  std::vector<std::vector<Touch>> touched;
  for (std::uint32_t s = 0; s < n; ++s) touched.push_back(touches(ops, listed, s));
  for (std::uint32_t second = 1; second < n; ++second) {
    for (std::uint32_t first = 0; first < second; ++first) {
      if (above[second][first]) continue;
      const bool leaves = listed.graph->steps[second].op.starts_with("prims.return");
      const bool both = impure(ops, listed.graph->steps[first]) && impure(ops, listed.graph->steps[second]);
      const bool writes = leaves && step_refs(ops, listed.graph->steps[first]).writes();
      const Touch* through = conflict(touched[first], touched[second]);
      if (through == nullptr && !both && !writes) continue;
      out.push_back({first, second, through != nullptr ? through->value : ValueId{},
                     order_with(above[second], second, n)});
      if (out.size() >= most) return out;
    }
  }
  return out;
}

}  // namespace noclobber
