// Data for drawing a witness: the views of each storage, and the steps that read and write it.
#include <algorithm>
#include <map>

#include "src/interp/replay_session.h"

namespace noclobber {

namespace {

constexpr std::size_t kMostShown = 60;     // views per storage, and reads and writes each
constexpr std::int64_t kMostNumbers = 64;  // elements of an input that is given as numbers

/// The storages that the witness names, and those of results of its `define` and `clobber`.
std::set<std::uint32_t> storages_named(const Ran& ran, const Witness& w) {
  std::set<std::uint32_t> out;
  for (const std::optional<Tensor>& view : ran.run->values)
    if (view && !w.storage.empty() && storage_name(ran, *view) == w.storage) out.insert(view->storage);
  for (const auto* place : {&w.define, &w.clobber}) {
    if (!*place || (*place)->step >= ran.graph->steps.size()) continue;
    for (const ValueId made : ran.graph->steps[(*place)->step].results)
      if (const Tensor* view = view_in(*ran.run, made); view != nullptr && out.size() < 3)
        out.insert(view->storage);
  }
  return out;
}

/// The last use of every value; the return is the step past the last.
std::vector<std::uint32_t> last_uses(const Graph& graph) {
  std::vector<std::uint32_t> last(graph.values.size(), 0);
  const auto note = [&](const std::vector<ValueId>& used, std::uint32_t step) {
    for (const ValueId id : used)
      if (id.valid() && id.index < last.size()) last[id.index] = step;
  };
  for (std::uint32_t s = 0; s < graph.steps.size(); ++s) note(uses_of(graph.steps[s]), s);
  std::vector<ValueId> leaving;
  for (const Arg& output : graph.outputs) collect_uses(output, leaving);
  for (const auto& [input, contents] : graph.finals) collect_uses(contents, leaving);
  note(leaving, static_cast<std::uint32_t>(graph.steps.size()));
  return last;
}

/// The operand of the step that lies on this storage; "" if none, so the result is not a view of one.
std::string shown_of(const Ran& ran, std::uint32_t step, std::uint32_t storage) {
  if (step >= ran.graph->steps.size()) return "";
  for (const ValueId used : uses_of(ran.graph->steps[step]))
    if (const Tensor* view = view_in(*ran.run, used); view != nullptr && view->storage == storage)
      return value_name(*ran.graph, used);
  return "";
}

void add_names(StorageLane& lane, const Ran& ran, std::uint32_t storage,
               const std::vector<std::uint32_t>& last) {
  const Graph& graph = *ran.graph;
  for (std::size_t v = 0; v < graph.values.size() && lane.values.size() < kMostShown; ++v) {
    const Tensor* view = view_in(*ran.run, ValueId(v));
    if (view == nullptr || view->storage != storage) continue;
    const ByteRange bytes = byte_extent(*view);
    const std::uint32_t begin = defining_step(graph, ValueId(v));
    const std::uint32_t end = begin == Place::kEntry ? last[v] : std::max(begin, last[v]);
    lane.values.push_back({value_name(graph, ValueId(v)), begin, end, bytes.first, bytes.last,
                           shown_of(ran, begin, storage), view->dtype, view->shape});
  }
}

bool lies_in(const Ran& ran, std::span<const ValueId> ids, std::uint32_t storage) {
  return std::ranges::any_of(ids, [&](ValueId id) {
    const Tensor* view = view_in(*ran.run, id);
    return view != nullptr && view->storage == storage;
  });
}

/// True if the step only makes a view, which reads nothing.
bool only_shows(const Ran& ran, const Step& step, const StepRefs& refs, std::uint32_t storage) {
  return !refs.writes() && !refs.opaque && lies_in(ran, step.results, storage);
}

void add_uses(StorageLane& lane, const Scene& scene, std::uint32_t storage) {
  const Ran& ran = scene.after;
  for (std::uint32_t s = 0; s < ran.graph->steps.size(); ++s) {
    const Step& step = ran.graph->steps[s];
    const StepRefs refs = step_refs(scene.ops, step);
    const bool reads = lies_in(ran, refs.operands, storage) && !only_shows(ran, step, refs, storage);
    const bool makes =
        !refs.writes() && !lies_in(ran, refs.operands, storage) && lies_in(ran, step.results, storage);
    const bool writes = lies_in(ran, refs.opaque ? refs.operands : refs.targets, storage) || makes;
    if (reads && lane.reads.size() < kMostShown) lane.reads.push_back(s);
    if (writes && lane.writes.size() < kMostShown) lane.writes.push_back(s);
  }
  std::vector<ValueId> leaving;
  for (const Arg& output : ran.graph->outputs) collect_uses(output, leaving);
  if (lies_in(ran, leaving, storage))
    lane.reads.push_back(static_cast<std::uint32_t>(ran.graph->steps.size()));
}

}  // namespace

std::vector<StorageLane> lanes_of(const Scene& scene, const Witness& w) {
  std::vector<StorageLane> out;
  if (scene.after.run == nullptr || scene.after.run->values.empty()) return out;
  const std::vector<std::uint32_t> last = last_uses(*scene.after.graph);
  for (const std::uint32_t storage : storages_named(scene.after, w)) {
    StorageLane lane;
    Tensor whole;
    whole.storage = storage;
    lane.storage = storage_name(scene.after, whole);
    if (storage < scene.after.run->storages.size())
      lane.bytes = static_cast<std::int64_t>(scene.after.run->storages[storage].bytes.size());
    add_names(lane, scene.after, storage, last);
    add_uses(lane, scene, storage);
    out.push_back(std::move(lane));
  }
  return out;
}

std::vector<InputNumbers> input_numbers(const Case& value, const RunOptions& options) {
  Graph entry = value.after;
  entry.steps.clear();
  entry.finals.clear();
  entry.outputs.clear();
  for (const Input& input : entry.inputs) entry.outputs.push_back(Arg::of(input.value));
  RunOptions plain = options;
  plain.order.clear();
  const Result<Run> run = run_graph(value, entry, {}, plain);
  std::vector<InputNumbers> out;
  for (std::size_t i = 0; run && i < std::min(entry.inputs.size(), run->outputs.size()); ++i) {
    const Run::Output& output = run->outputs[i];
    if (!output.tensor || element_count(*output.tensor) > kMostNumbers) continue;
    InputNumbers numbers{
        entry.value(entry.inputs[i].value).name, output.tensor->dtype, output.tensor->shape, {}};
    const std::size_t width = element_width(numbers.dtype);
    for (std::size_t b = 0; b + width <= output.bytes.size(); b += width)
      numbers.elements.push_back(
          element_number(numbers.dtype, std::span<const std::uint8_t>(output.bytes).subspan(b, width)));
    out.push_back(std::move(numbers));
  }
  return out;
}

}  // namespace noclobber
