#include "src/effects/build.h"

#include "src/effects/boundary.h"
#include "src/effects/collectives.h"
#include "src/effects/dispatch.h"
#include "src/effects/draws.h"
#include "src/effects/loop_steps.h"
#include "src/effects/tracer.h"

namespace noclobber::effects {

namespace {

constexpr std::size_t kFewTokens = 4;  // storages that no value names, in most graphs

ValueViews take_views(Tracer& t) {
  ValueViews out;
  out.values.resize(t.names.bound.size());
  for (std::size_t k = 0; k < t.names.bound.size(); ++k)
    if (t.names.bound[k]) out.values[k] = std::move(t.names.bound[k]->view);
  out.layouts.reserve(t.storages.layouts.size());
  for (Layout& layout : t.storages.layouts) out.layouts.push_back({std::move(layout.strides), layout.dtype});
  return out;
}

/// Releases memory: many steps and values of a graph may add no entry.
template <class T>
void fit(std::vector<T>& all) {
  if (all.size() < all.capacity() / 2) all.shrink_to_fit();
}

void walk(Tracer& t) {
  const Graph& graph = *t.request.graph;
  t.names.bound.resize(graph.values.size());
  t.trace.steps.reserve(graph.steps.size());
  t.trace.storages.reserve(graph.values.size() + kFewTokens);
  add_tokens(t);
  look_at_devices(t);
  for (const Input& input : graph.inputs) add_input(t, input);
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    if (is_return(graph.steps[k])) break;  // steps behind it never run
    t.at_hand.failed = false;
    run(t, graph.steps[k], k);
    t.unmodelled += t.at_hand.failed ? 1 : 0;
  }
  for (const auto& [symbol, step] : t.request.sizes)
    if (!t.told.contains(symbol)) t.unknown("no-metadata", "size " + symbol);
  add_finals(t);
  add_outputs(t);
  return_flights(t);
  say_where_loops_lie(t);
  fit(t.trace.steps);
  fit(t.trace.storages);
}

}  // namespace

Built build(const BuildRequest& request, const OpSet& ops, Sizes& sizes) {
  Tracer t(request, ops, sizes);
  walk(t);
  Built out;
  out.reached = reached_by(t);
  out.views = take_views(t);
  out.trace = std::move(t.trace);
  out.noted = std::move(t.noted);
  out.identities = std::move(t.identities);
  out.more_lanes = std::move(t.storages.more_lanes);
  out.in_place = t.in_place;
  out.unmodelled = t.unmodelled;
  return out;
}

}  // namespace noclobber::effects
