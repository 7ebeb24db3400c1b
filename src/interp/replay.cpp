#include "src/interp/replay.h"

#include <algorithm>

#include "src/graph/bodies.h"
#include "src/interp/replay_session.h"

namespace noclobber {

namespace {

/// Bound on the cost of a search, roughly in bytes accessed.
constexpr std::size_t kBudget = std::size_t{256} << 20;

bool makes_garbage(const Case& value, const Graph& graph, int depth) {
  for (const Step& step : graph.steps) {
    if (step.op->find("empty") != std::string::npos || step.op->find("resize") != std::string::npos)
      return true;
    for (const auto& [place, name] : bodies_given(step)) {
      const Graph* body = depth > 8 ? nullptr : find_body(value, graph, name);
      if (body != nullptr && makes_garbage(value, *body, depth + 1)) return true;
    }
  }
  return false;
}

}  // namespace

std::size_t affordable_trials(const Graph& graph, const Run& run) {
  std::size_t cost = 4096 * (graph.steps.size() + 1);
  for (const Storage& storage : run.storages) cost += 16 * storage.bytes.size();
  return std::clamp<std::size_t>(kBudget / cost, 1, kMostTrials);
}

bool may_be_undefined(const Case& value, const Graph& graph) { return makes_garbage(value, graph, 0); }

std::optional<Run> Session::run(const Graph& graph, const RunOptions& options) {
  RunOptions bounded = options;
  bounded.work = std::min(work_left, options.work);
  Result<Run> out = run_graph(value, graph, may_write, bounded);
  work_left -= out ? out->work : bounded.work;
  if (!out) return std::nullopt;
  if (!out->unsupported.empty()) {
    result.unsupported = true;
    for (const std::string& name : out->unsupported) {
      if (std::find(result.names.begin(), result.names.end(), name) == result.names.end())
        result.names.push_back(name);
    }
    return std::nullopt;
  }
  return *std::move(out);
}

ReplayResult replay(const Case& value, const ReplayHint& hint) {
  Result<OpSet> ops = make_op_set(value.ops);
  if (!ops) {
    ReplayResult nothing;
    nothing.unsupported = true;
    return nothing;
  }
  Session session(value, hint, *std::move(ops));
  if (value.before) {
    replay_pair(session);
  } else {
    replay_single(session);
  }
  replay_return(session);
  if (!session.result.witnesses.empty()) session.result.unsupported = false;
  join_causes(value.after, session.result.witnesses);
  return std::move(session.result);
}

}  // namespace noclobber
