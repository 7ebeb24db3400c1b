#include "src/effects/loops.h"

#include <algorithm>

namespace noclobber {
namespace {

constexpr std::size_t kLoops = 64;

const Graph* body_called(const Case& value, const Graph& graph, const Arg& name) {
  if (name.kind != Arg::Kind::graph) return nullptr;
  if (const auto at = graph.bodies.find(name.text); at != graph.bodies.end()) return &at->second;
  const auto at = value.bodies.find(name.text);
  return at == value.bodies.end() ? nullptr : &at->second;
}

std::vector<const Step*> loops_in(const Graph& graph) {
  std::vector<const Step*> out;
  for (const Step& step : graph.steps)
    if (is_loop(step)) out.push_back(&step);
  return out;
}

/// A body as a graph of its own, inputs called by their position.
Graph numbered(const Graph& body, bool carries, std::size_t carried) {
  Graph out = body;
  for (std::size_t k = 0; k < out.inputs.size(); ++k) {
    Input& input = out.inputs[k];
    out.values[input.value.index].name = std::to_string(k);
    input.may_write = true;  // what is written is judged where the loop stands
    input.exit = carries && k < carried ? Input::Exit::any : Input::Exit::as_before;
    input.storage.clear();
    input.storage_numel.reset();
  }
  return out;
}

Case pair_of_bodies(const Case& value, const Graph& before, const Graph& after, bool carries,
                    std::size_t carried) {
  Case out = value;
  out.before = numbered(before, carries, carried);
  out.after = numbered(after, carries, carried);
  for (const Graph* outer : {&*value.before, &value.after})
    out.bodies.insert(outer->bodies.begin(), outer->bodies.end());
  out.dataflow = false;
  out.names_are_values = false;
  out.compare_strides = false;
  out.sharing_may_grow = true;
  out.may_share.clear();
  out.plan.reset();
  return out;
}

}  // namespace

bool is_loop(const Step& step) {
  for (const char* op : {"higher_order.while_loop", "higher_order.scan", "higher_order.map_impl",
                         "higher_order.map", "higher_order.flex_attention", "higher_order.associative_scan"})
    if (step.op == op || step.op.starts_with(std::string(op) + ".")) return true;
  return false;
}

std::vector<LoopBody> loop_bodies(const Case& value) {
  std::vector<LoopBody> out;
  if (!value.before) return out;
  const auto ours = loops_in(*value.before), theirs = loops_in(value.after);
  if (ours.size() != theirs.size() || ours.size() > kLoops) return out;
  for (std::uint32_t k = 0; k < ours.size(); ++k) {
    const Step &a = *ours[k], &b = *theirs[k];
    if (a.op != b.op || a.args.size() != b.args.size()) continue;
    const bool loop = a.op.starts_with("higher_order.while_loop");
    for (std::size_t arg = 0; arg < a.args.size(); ++arg) {
      const Graph* before = body_called(value, *value.before, a.args[arg]);
      const Graph* after = body_called(value, value.after, b.args[arg]);
      if (before == nullptr || after == nullptr || before->inputs.size() != after->inputs.size()) continue;
      const bool carries = loop && arg == 1;
      const std::size_t carried = carries && a.args.size() > 2 ? a.args[2].list.size() : 0;
      out.push_back({"loop" + std::to_string(k) + " body" + std::to_string(arg), k, carries,
                     pair_of_bodies(value, *before, *after, carries, carried)});
    }
  }
  return out;
}

BodyFacts facts_of(const Trace& body) {
  BodyFacts out;
  std::map<StorageId, std::set<std::uint32_t>> shown;
  for (std::uint32_t k = 0; k < body.inputs.size(); ++k) shown[body.inputs[k].view.storage].insert(k);
  for (const TraceStep& step : body.steps)
    for (const TraceView& view : step.writes) {
      out.written.insert(shown[view.storage].begin(), shown[view.storage].end());
      out.plain = out.plain && body.storages[view.storage].start != TraceStorage::Start::token;
    }
  std::set<StorageId> seen;
  for (const TraceOutput& output : body.outputs) {
    out.from.emplace_back();
    if (!output.view) continue;
    out.from.back() = shown[output.view->storage];
    out.plain = out.plain && seen.insert(output.view->storage).second;
  }
  out.plain = out.plain && body.unknown.empty();
  return out;
}

void merge(BodyFacts& into, const BodyFacts& more) {
  into.from.resize(std::max(into.from.size(), more.from.size()));
  for (std::size_t k = 0; k < more.from.size(); ++k)
    into.from[k].insert(more.from[k].begin(), more.from[k].end());
  into.written.insert(more.written.begin(), more.written.end());
  into.plain = into.plain && more.plain;
}

}  // namespace noclobber
