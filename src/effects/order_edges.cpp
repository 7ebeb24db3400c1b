// Which graph steps must run before which, where dataflow alone decides.
#include <algorithm>
#include <map>

#include "src/effects/effects.h"

namespace noclobber {
namespace {

void used_values(const Arg& arg, std::vector<ValueId>& out) {
  if (arg.kind == Arg::Kind::ref) out.push_back(arg.ref);
  for (const Arg& item : arg.list) used_values(item, out);
}

/// The step that returns reads whatever a caller can see: it comes after all that writes there.
void add_return(Trace& trace, const Graph& graph) {
  const auto found = std::find_if(graph.steps.begin(), graph.steps.end(), is_return);
  if (found == graph.steps.end()) return;
  TraceStep step;
  step.key = found->op;
  step.origin = static_cast<std::uint32_t>(found - graph.steps.begin());
  for (const TraceInput& input : trace.inputs) step.reads.push_back(input.view);
  for (const TraceOutput& output : trace.outputs)
    if (output.view) step.reads.push_back(*output.view);
  for (StorageId s = 0; s < trace.storages.size(); ++s)
    if (trace.storages[s].start == TraceStorage::Start::token) step.reads.push_back({s, {}, {}, "token", 0});
  step.access.resize(step.reads.size());
  const auto place = std::find_if(trace.steps.begin(), trace.steps.end(),
                                  [&](const TraceStep& s) { return s.origin > step.origin; });
  const auto later = [number = place - trace.steps.begin()](std::uint32_t& time) { time += time > number; };
  for (TraceStep& other : trace.steps) std::for_each(other.means.begin(), other.means.end(), later);
  for (TraceGuard& guard : trace.guards) later(guard.time);
  for (TraceOutput& output : trace.outputs)
    if (output.means) later(*output.means);
  trace.steps.insert(place, std::move(step));
}

}  // namespace

void add_order(Trace& trace, const Graph& graph) {
  trace.any_order = true;
  add_return(trace, graph);
  std::map<std::string, std::uint32_t> by_name, last_of_stream;
  const bool streams =
      std::any_of(graph.steps.begin(), graph.steps.end(), [](const Step& s) { return !s.stream.empty(); });
  const auto count = static_cast<std::uint32_t>(graph.steps.size());
  for (std::uint32_t k = 0; k < count; ++k) {
    if (!graph.steps[k].id.empty()) by_name[graph.steps[k].id] = k;
    for (ValueId id : graph.steps[k].results)
      if (id.valid()) by_name[graph.value(id).name] = k;
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    const Step& step = graph.steps[k];
    std::vector<ValueId> read;
    for (const Arg& arg : step.args) used_values(arg, read);
    for (const auto& [name, arg] : step.kwargs) used_values(arg, read);
    for (ValueId id : read)
      if (graph.value(id).from == Value::From::step) trace.edges.emplace_back(graph.value(id).at, k);
    for (const std::string& name : step.after)
      if (const auto at = by_name.find(name); at != by_name.end()) trace.edges.emplace_back(at->second, k);
    trace.edges.emplace_back(k, count);  // what is stored at exit comes after every step
    if (!streams) continue;
    if (const auto at = last_of_stream.find(step.stream); at != last_of_stream.end())
      trace.edges.emplace_back(at->second, k);
    last_of_stream[step.stream] = k;
  }
  std::sort(trace.edges.begin(), trace.edges.end());
  trace.edges.erase(std::unique(trace.edges.begin(), trace.edges.end()), trace.edges.end());
}

}  // namespace noclobber
