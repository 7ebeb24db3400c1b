// Stale and uninitialised reads.
#include <algorithm>

#include "src/interp/replay_held.h"

namespace noclobber {

namespace {

constexpr std::size_t kReadsTogether = 12;

/// A possible stale read: reads of `value` behind step `clobber` may need its earlier contents.
struct Suspect {
  ValueId value;
  std::uint32_t clobber = 0, read = 0;  // read: the first one after the clobber
  int rank = 0;                         // tried in ascending order
};

struct Write {
  std::uint32_t step = 0;
  const Tensor* view = nullptr;
};

std::vector<Write> all_writes(const Scene& scene) {
  std::vector<Write> out;
  const Graph& graph = *scene.after.graph;
  for (std::uint32_t s = 0; s < graph.steps.size(); ++s) {
    const StepRefs refs = step_refs(scene.ops, graph.steps[s]);
    for (const ValueId id : refs.opaque ? refs.operands : refs.targets) {
      if (const Tensor* view = view_in(*scene.after.run, id)) out.push_back({s, view});
    }
  }
  return out;
}

/// The uses of each value, in order; the return is the step past the last.
std::vector<std::vector<std::uint32_t>> all_uses(const Graph& graph) {
  std::vector<std::vector<std::uint32_t>> uses(graph.values.size());
  const auto note = [&uses](std::uint32_t step, const std::vector<ValueId>& refs) {
    for (const ValueId id : refs) {
      if (id.valid() && id.index < uses.size()) uses[id.index].push_back(step);
    }
  };
  for (std::uint32_t s = 0; s < graph.steps.size(); ++s) note(s, uses_of(graph.steps[s]));
  std::vector<ValueId> leaving;
  for (const Arg& output : graph.outputs) collect_uses(output, leaving);
  for (const auto& [input, contents] : graph.finals) collect_uses(contents, leaving);
  note(static_cast<std::uint32_t>(graph.steps.size()), leaving);
  return uses;
}

bool returned_here(const Graph& graph, const Target& target, ValueId value) {
  if (target.output < 0 || static_cast<std::size_t>(target.output) >= graph.outputs.size()) return false;
  const Arg& output = graph.outputs[static_cast<std::size_t>(target.output)];
  return output.kind == Arg::Kind::ref && output.ref == value;
}

std::vector<Suspect> suspects(const Scene& scene, const Difference& d) {
  const Graph& graph = *scene.after.graph;
  const std::vector<Write> writes = all_writes(scene);
  const std::vector<std::vector<std::uint32_t>> uses = all_uses(graph);
  const std::vector<std::uint32_t> slice = backward_slice(scene.ops, scene.after, d.target);
  const auto end = static_cast<std::uint32_t>(graph.steps.size());
  std::vector<Suspect> out;
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    const ValueId value(v);
    const Tensor* view = view_in(*scene.after.run, value);
    if (view == nullptr || uses[v].empty()) continue;
    const std::uint32_t define = defining_step(graph, value);
    for (const Write& write : writes) {
      if (define != Place::kEntry && write.step <= define) continue;
      if (write.view->storage != view->storage || !share_bytes(*write.view, *view)) continue;
      const auto read = std::find_if(uses[v].begin(), uses[v].end(), [&](std::uint32_t use) {
        if (use <= write.step) return false;
        return use == end ? true : std::binary_search(slice.begin(), slice.end(), use);
      });
      if (read == uses[v].end()) continue;
      const bool direct = *read == end;
      if (direct && !returned_here(graph, d.target, value) && graph.finals.empty()) continue;
      out.push_back({value, write.step, *read, direct ? 0 : 1});
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Suspect& a, const Suspect& b) {
    return std::tuple(a.rank, a.read, a.value, b.clobber) < std::tuple(b.rank, b.read, b.value, a.clobber);
  });
  return out;
}

/// The reaching definition that the read needs: the last write into the bytes of the value before the
/// clobber, or else the definition of the value.
Place maker(const Scene& scene, const Suspect& s, const Tensor& view) {
  Place define = defining_place(*scene.after.graph, s.value);
  const std::uint32_t from = defining_step(*scene.after.graph, s.value);
  for (const Write& write : all_writes(scene)) {
    const bool between = write.step < s.clobber && (from == Place::kEntry || write.step > from);
    if (between && share_bytes(*write.view, view)) define = place_of(*scene.after.graph, write.step);
  }
  return define;
}

Witness stale(const Scene& scene, const Difference& d, const Suspect& s) {
  const Graph& graph = *scene.after.graph;
  const Tensor& view = *view_in(*scene.after.run, s.value);
  Witness w = named("NC001");
  w.define = maker(scene, s, view);
  w.clobber = place_of(graph, s.clobber);
  w.read = place_of(graph, s.read);
  w.storage = storage_name(scene.after, view);
  for (const Write& write : all_writes(scene)) {
    const ByteRange shared = write.step == s.clobber ? shared_extent(*write.view, view) : ByteRange{};
    if (shared.empty()) continue;
    w.first_byte = shared.first;
    w.last_byte = shared.last;
  }
  w.before = counterpart(scene, s.value, s.clobber, *w.define);
  w.kept = KeptValue{s.value, s.clobber};
  std::vector<KeptValue> all = scene.repairs;
  all.push_back(*w.kept);
  w.repaired = std::make_shared<const Graph>(with_kept_values(scene.ops, graph, all));
  w.message = w.read->name + " reads " + value_name(graph, s.value) + " after " + w.clobber->name +
              " overwrote bytes [" + std::to_string(w.first_byte) + ", " + std::to_string(w.last_byte) +
              ") of the storage of " + w.storage + ": " + shown_text(scene, d);
  return w;
}

/// Number of elements of the target that are still wrong. Empty if the element of `d` is.
std::optional<std::int64_t> still_wrong(const Scene& scene, const Run& run, const Difference& d) {
  if (!element_right(scene.expected, run, d.target, d.element)) return std::nullopt;
  const std::optional<Difference> rest = value_difference(scene.expected, run, d.target);
  return rest ? rest->count : 0;
}

/// True if an element of `value` is undefined after the first `at` steps.
bool undefined_before(const Scene& scene, std::uint32_t at, ValueId value) {
  Graph prefix = *scene.after.graph;
  prefix.steps.resize(at);
  prefix.outputs = {Arg::of(value)};
  prefix.finals.clear();
  const std::optional<Run> run = scene.variant(prefix);
  if (!run || run->outputs.empty()) return false;
  const std::vector<std::uint8_t>& defined = run->outputs.front().defined;
  return std::find(defined.begin(), defined.end(), 0) != defined.end();
}

bool makes_undefined(const Graph& graph, ValueId value) {
  const Value& v = graph.value(value);
  if (v.from != Value::From::step || v.at >= graph.steps.size()) return false;
  return graph.steps[v.at].op->find("empty") != std::string::npos;
}

/// The first read of undefined elements in the slice of the target, with the value read.
std::optional<std::pair<std::uint32_t, ValueId>> first_undefined_read(const Scene& scene,
                                                                      const Difference& d) {
  const Graph& graph = *scene.after.graph;
  std::set<std::uint32_t> unset;
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    const Tensor* view = view_in(*scene.after.run, ValueId(v));
    if (view != nullptr && makes_undefined(graph, ValueId(v))) unset.insert(view->storage);
  }
  int tries = 16;
  for (const std::uint32_t s : backward_slice(scene.ops, scene.after, d.target)) {
    const StepRefs refs = step_refs(scene.ops, graph.steps[s]);
    std::vector<ValueId> read = refs.operands;
    for (const ValueId target : refs.targets) {
      const bool only_written =
          std::find(refs.out_targets.begin(), refs.out_targets.end(), target) != refs.out_targets.end();
      if (!only_written && !graph.steps[s].op->starts_with("aten.copy_.")) read.push_back(target);
    }
    for (const ValueId value : read) {
      const Tensor* view = view_in(*scene.after.run, value);
      if (view == nullptr || !unset.contains(view->storage) || tries-- <= 0) continue;
      const ValueId first = graph.steps[s].results.empty() ? ValueId{} : graph.steps[s].results.front();
      const Tensor* made = view_in(*scene.after.run, first);
      const bool only_view =
          !refs.writes() && !refs.opaque && made != nullptr && made->storage == view->storage;
      if (!only_view && undefined_before(scene, s, value)) return std::pair(s, value);
    }
  }
  return std::nullopt;
}

}  // namespace

namespace {

/// The read whose repair leaves the fewest elements wrong, and their number. Empty if no repair helps.
std::optional<std::pair<Suspect, std::int64_t>> best_repair(const Scene& scene, const Difference& d) {
  std::optional<std::pair<Suspect, std::int64_t>> best;
  std::int64_t fewest = d.count;
  for (const Suspect& s : suspects(scene, d)) {
    std::vector<KeptValue> kept = scene.repairs;
    kept.push_back({s.value, s.clobber});
    const std::optional<Run> run =
        scene.variant(with_kept_values(scene.ops, *scene.after.graph, std::move(kept)));
    if (scene.runs_left <= 0) break;
    const std::optional<std::int64_t> wrong = run ? still_wrong(scene, *run, d) : std::nullopt;
    if (!wrong || *wrong >= fewest) continue;
    fewest = *wrong;
    best = std::pair(s, fewest);
    if (fewest == 0) break;
  }
  return best;
}

}  // namespace

std::optional<Witness> stale_read(const Scene& scene, const Difference& d) {
  Difference left = d;
  if (!scene.repairs.empty()) {
    const std::optional<Run> run =
        scene.variant(with_kept_values(scene.ops, *scene.after.graph, scene.repairs));
    if (const auto rest = run ? value_difference(scene.expected, *run, d.target) : std::nullopt) left = *rest;
  }
  const auto best = best_repair(scene, left);
  if (!best) return std::nullopt;
  return stale(scene, d, best->first);
}

std::vector<Witness> stale_reads(const Scene& scene, const Difference& d) {
  std::vector<Suspect> all;
  for (const Suspect& s : suspects(scene, d)) {
    const auto known = [&](const Suspect& other) {
      return other.value == s.value && other.clobber == s.clobber;
    };
    if (std::ranges::none_of(all, known)) all.push_back(s);
  }
  if (all.size() < 2 || all.size() > kReadsTogether) return {};
  const auto right = [&](const std::vector<Suspect>& repaired) {
    std::vector<KeptValue> kept = scene.repairs;
    for (const Suspect& s : repaired) kept.push_back({s.value, s.clobber});
    const std::optional<Run> run = scene.variant(with_kept_values(scene.ops, *scene.after.graph, kept));
    return run && !value_difference(scene.expected, *run, d.target);
  };
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (all[a].value != all[b].value && right({all[b], all[a]}))
        return {stale(scene, d, all[b]), stale(scene, d, all[a])};
  return {};
}

bool repaired_by_one_read(const Scene& scene, const Difference& d) {
  const auto best = best_repair(scene, d);
  return best && best->second == 0;
}

std::optional<Witness> uninitialized_read(const Scene& scene, const Difference& d) {
  Scene other = scene;
  other.options.garbage_seed += 17;
  const std::optional<Run> run = other.variant(*scene.after.graph);
  if (!run) return std::nullopt;
  std::optional<Difference> now;
  if (!element_right(scene.expected, *run, d.target, d.element))
    now = value_difference(scene.expected, *run, d.target);
  const bool varies = !now || now->element != d.element || now->actual != d.actual;
  if (!varies) return std::nullopt;
  Witness w = named("NC002");
  const Graph& graph = *scene.after.graph;
  w.read = place_of(graph, static_cast<std::uint32_t>(graph.steps.size()));
  if (const auto found = first_undefined_read(scene, d)) {
    w.read = place_of(graph, found->first);
    w.define = defining_place(graph, found->second);
    if (const Tensor* view = view_in(*scene.after.run, found->second))
      w.storage = storage_name(scene.after, *view);
  }
  w.message = w.read->name + " reads elements that nothing has written: " + shown_text(scene, d);
  return w;
}

}  // namespace noclobber
