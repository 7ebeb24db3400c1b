// Storages that the graph makes and that the plan does not place.
#include <algorithm>
#include <set>

#include "src/graph/bodies.h"
#include "src/plan/placed.h"

namespace noclobber {
namespace {

bool has_bytes(const Space& space, const TraceStorage& storage) {
  return std::ranges::none_of(storage.shape, [&](PolyId extent) { return space.value(extent) == 0; });
}

}  // namespace

void name_unplaced(const Space& space, const Graph& graph, const Traced& traced, const std::string& prefix,
                   const std::function<bool(StorageId)>& placed, std::vector<std::string>& out) {
  std::set<StorageId> known;
  for (const TraceInput& input : traced.after.inputs) known.insert(input.view.storage);
  const auto& views = traced.views.values;
  for (std::size_t k = 0; k < graph.values.size() && k < views.size(); ++k) {
    if (graph.values[k].from != Value::From::step || !views[k] || !known.insert(views[k]->storage).second)
      continue;
    const StorageId storage = views[k]->storage;
    if (!placed(storage) && has_bytes(space, traced.after.storages[storage]))
      out.push_back(prefix + graph.values[k].name);
  }
}

std::vector<const Graph*> bodies_reached(const Case& value) {
  std::vector<const Graph*> out;
  std::vector<const Graph*> open = {&value.after};
  while (!open.empty()) {
    const Graph* graph = open.back();
    open.pop_back();
    for (const Step& step : graph->steps)
      for (const auto& [where, name] : bodies_given(step)) {
        const Graph* body = find_body(value, *graph, name);
        if (body == nullptr || std::ranges::find(out, body) != out.end()) continue;
        out.push_back(body);
        open.push_back(body);
      }
  }
  return out;
}

}  // namespace noclobber
