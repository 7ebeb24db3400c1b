#include <algorithm>

#include "src/effects/build.h"
#include "src/effects/paired.h"
#include "src/effects/remembered.h"
#include "src/graph/uses.h"

namespace noclobber {
namespace {

std::set<std::string> written_inputs(const Trace& trace) {
  std::set<StorageId> written;
  for (const TraceStep& step : trace.steps)
    for (const TraceView& view : step.writes) written.insert(view.storage);
  std::set<std::string> out;
  for (const TraceInput& input : trace.inputs)
    if (written.contains(input.view.storage)) out.insert(input.name);
  return out;
}

/// Inputs that `after` may write, and inputs whose contents at exit are not compared.
struct InputRights {
  std::set<std::string> writable;
  std::set<std::string> any_at_exit;
};

InputRights rights(const Graph& graph, const std::set<std::string>& written_before) {
  InputRights out;
  for (const Input& input : graph.inputs) {
    const std::string& name = graph.value(input.value).name;
    const bool writes = written_before.contains(name);
    if (input.may_write.value_or(writes)) out.writable.insert(name);
    const bool any =
        input.exit ? *input.exit == Input::Exit::any : input.may_write.value_or(false) && !writes;
    if (any) out.any_at_exit.insert(name);
  }
  return out;
}

/// Elements of a storage that no input covers must be kept, even if its inputs may hold anything at exit: a
/// storage is compared unless all of its inputs may, and one of them has as many elements as the storage.
void relax(Space& space, Trace& trace, const std::set<std::string>& any_at_exit) {
  std::set<StorageId> shown_otherwise, shown_whole;
  for (const TraceInput& input : trace.inputs) {
    const StorageId at = input.view.storage;
    if (!any_at_exit.contains(input.name)) shown_otherwise.insert(at);
    if (element_count(space, input.view.shape) == element_count(space, trace.storages[at].shape))
      shown_whole.insert(at);
  }
  for (const TraceInput& input : trace.inputs) {
    const StorageId at = input.view.storage;
    trace.storages[at].compared = shown_otherwise.contains(at) || !shown_whole.contains(at);
  }
}

struct CommonSizes {
  std::map<std::string, std::uint32_t> before, after;  // symbol -> step, if steps of both introduce it
  std::set<std::string> strange;  // in both, but introduced by one only or with another shape
};

CommonSizes common_sizes(const Case& value) {
  CommonSizes out;
  if (!value.before) return out;
  const auto ours = sizes_made(*value.before), theirs = sizes_made(value.after);
  for (const auto& [symbol, step] : ours) {
    const auto other = theirs.find(symbol);
    if (other == theirs.end() || (!step && !other->second)) continue;
    if (step && other->second && step->shape == other->second->shape)
      out.before[symbol] = step->step, out.after[symbol] = other->second->step;
    else
      out.strange.insert(symbol);
  }
  return out;
}

/// Makes inputs of a single graph writable unless it forbids it; constants only if it gives final contents.
void let_write(Trace& trace, const Graph& graph) {
  const auto ends = [&](ValueId v) {
    return std::ranges::any_of(graph.finals, [&](const auto& f) { return f.first == v; });
  };
  for (TraceInput& input : trace.inputs)
    for (const Input& i : graph.inputs)
      if (graph.value(i.value).name == input.name && !i.may_write &&
          (i.kind != Input::Kind::constant || ends(i.value)))
        trace.storages[input.view.storage].writable = true;
}

}  // namespace

Traced trace_case(const Case& value, const OpSet& ops, Sizes& sizes, Identities use, const Loops& loops) {
  std::set<std::string> lanes;
  effects::RememberedCalls remembered;
  const auto [sizes_before, sizes_after, strange] = common_sizes(value);
  for (;;) {
    const std::size_t known = lanes.size();
    Traced out;
    std::set<std::string> written;
    Noted noted_before, noted_after;
    // Fresh storages are numbered per graph, so those of the two graphs are kept apart by a prefix.
    const auto build = [&](const Graph& graph, std::optional<std::set<std::string>> writable,
                           const std::string& side) {
      std::set<std::string> own;
      for (const std::string& key : lanes) {
        if (key.starts_with("in:")) own.insert(key);
        if (key.starts_with(side)) own.insert(key.substr(side.size()));
      }
      effects::BuildRequest request{&value,
                                    &graph,
                                    std::move(writable),
                                    &own,
                                    value.names_are_values && !value.before,
                                    use,
                                    side == "before:" ? &loops.before : &loops.after};
      if (side == "after:" && value.before) request.forms = &noted_before.forms;
      request.remembered = &remembered;
      request.sizes = side == "before:" ? sizes_before : sizes_after;
      effects::Built built = effects::build(request, ops, sizes);
      (side == "before:" ? noted_before : noted_after) = std::move(built.noted);
      for (const std::string& key : built.more_lanes) lanes.insert(key.starts_with("in:") ? key : side + key);
      (side == "before:" ? out.reached_before : out.reached_after) = std::move(built.reached);
      out.in_place = built.in_place;
      (&graph == &value.after ? out.views : out.views_before) = std::move(built.views);
      out.unmodelled += built.unmodelled;
      out.simpler += built.identities.simpler;
      out.inexact.merge(built.identities.inexact);
      out.built_by.merge(built.identities.built_by);
      return std::move(built.trace);
    };
    if (value.before) {
      out.before = build(*value.before, std::nullopt, "before:");
      written = written_inputs(*out.before);
      for (const auto& [id, arg] : value.before->finals) written.insert(value.before->value(id).name);
    }
    const InputRights given = rights(value.after, written);
    const bool free_to_write = !value.before && !value.names_are_values;
    out.after = build(value.after, given.writable, "after:");
    if (free_to_write) let_write(out.after, value.after);
    relax(sizes.space(), out.after, given.any_at_exit);
    if (out.before) relax(sizes.space(), *out.before, given.any_at_exit);
    if (lanes.size() != known) continue;
    pair_noted(out, value, noted_before, noted_after);
    for (const std::string& symbol : strange) out.after.unknown.push_back({"no-metadata", "size " + symbol});
    if (value.dataflow) add_order(out.after, value.after);
    return out;
  }
}

}  // namespace noclobber
