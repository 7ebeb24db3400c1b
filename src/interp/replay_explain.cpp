// From differences to witnesses.
#include <algorithm>

#include "src/interp/replay_session.h"

namespace noclobber {

namespace {

constexpr int kTargetsExplained = 6;

bool is_metadata(Difference::Kind kind) {
  using Kind = Difference::Kind;
  return kind == Kind::count || kind == Kind::dtype || kind == Kind::shape || kind == Kind::stride ||
         kind == Kind::device;
}

std::string_view kind_text(Difference::Kind kind) {
  switch (kind) {
    case Difference::Kind::raised:
      return "outcome";
    case Difference::Kind::count:
      return "number of outputs";
    case Difference::Kind::dtype:
      return "dtype";
    case Difference::Kind::shape:
      return "shape";
    case Difference::Kind::stride:
      return "strides";
    case Difference::Kind::device:
      return "device";
    case Difference::Kind::value:
      return "value";
    case Difference::Kind::sharing:
      return "sharing";
    case Difference::Kind::effects:
      return "effects";
    case Difference::Kind::immutable:
      return "writes";
  }
  return "";
}

Witness metadata(const Difference& d) {
  Witness w = named("NC020");
  w.message = std::string(kind_text(d.kind)) + " of " + target_text(d.target) + " should be " + d.expected +
              " and is " + d.actual;
  return w;
}

Witness sharing(const Scene& scene, const Difference& d) {
  Witness w = named("NC005");
  const Tensor& shown = *scene.after.run->outputs[static_cast<std::size_t>(d.target.output)].tensor;
  w.storage = storage_name(scene.after, shown);
  w.first_byte = d.bytes.first;
  w.last_byte = d.bytes.last;
  const std::string with = d.other.output >= 0 ? target_text(d.other) : "input " + d.other.input;
  w.message = target_text(d.target) + " shares storage with " + with + " and did not before";
  return w;
}

Witness immutable(const Scene& scene, const Difference& d) {
  const Graph& graph = *scene.after.graph;
  Witness w = named("NC003");
  w.clobber = place_of(graph, d.step);
  const StepRefs refs = step_refs(scene.ops, graph.steps[d.step]);
  for (const ValueId target : refs.opaque ? refs.operands : refs.targets) {
    const Tensor* view = view_in(*scene.after.run, target);
    if (view == nullptr || scene.after.run->storages[view->storage].input.empty()) continue;
    w.storage = storage_name(scene.after, *view);
    w.first_byte = byte_extent(*view).first;
    w.last_byte = byte_extent(*view).last;
    if (view->storage == scene.after.run->immutable_storage) break;
  }
  w.message = w.clobber->name + " writes into " + (w.storage.empty() ? "an input" : w.storage) +
              ", which may not be written";
  return w;
}

Witness effects(const Scene& scene, const Difference& d) {
  const std::vector<std::string>& then = scene.expected.effects;
  const std::vector<std::string>& now = scene.after.run->effects;
  const std::multiset<std::string> a(then.begin(), then.end()), b(now.begin(), now.end());
  std::string rule = "NC004";
  if (b.size() < a.size()) rule = "NC006";
  if (b.size() > a.size()) rule = "NC009";
  Witness w = named(rule);
  w.message = "the effects of the program should be " + d.expected + " and are " + d.actual;
  return w;
}

/// A step that may not run where the operator it replaces could.
std::vector<Witness> raised(const Scene& scene, const Difference& d) {
  const Graph& graph = *scene.after.graph;
  const bool known = d.step < graph.steps.size();
  const StepRefs refs = known ? step_refs(scene.ops, graph.steps[d.step]) : StepRefs{};
  std::vector<std::string> rules = {"NC023"};
  if (refs.writes()) {
    const bool misfit = d.actual.find("index") == std::string::npos;
    if (misfit) rules = {"NC021", "NC020"};
    if (overlaps_itself(scene.ops, scene.after, d.step)) rules = {"NC007"};
    if (writes_repeated_bytes(scene.ops, scene.after, d.step)) rules = {"NC008"};
  }
  std::vector<Witness> out;
  for (const std::string& rule : rules) {
    Witness w = named(rule);
    w.clobber = place_of(graph, d.step);
    if (refs.writes()) w.storage = value_name(graph, refs.targets.front());
    w.message = w.clobber->name + " raises where the program before does not: " + d.actual;
    out.push_back(std::move(w));
  }
  return out;
}

void explain_values(Session& session, const Scene& scene, const std::vector<Difference>& found) {
  int explained = 0;
  for (const Difference& d : found) {
    if (d.kind != Difference::Kind::value || explained++ >= kTargetsExplained) continue;
    Witness w = explain_value(scene, d);
    // A step over lists is a sequence of calls as well: an earlier one changed what a later one means.
    const bool sequence = w.rule == "NC007" && w.clobber &&
                          w.clobber->step < scene.after.graph->steps.size() &&
                          scene.after.graph->steps[w.clobber->step].op.find("_foreach_") != std::string::npos;
    const bool lost_to_output = w.rule == "NC006" && d.target.output >= 0;
    session.add(std::move(w), scene, d);
    if (sequence || lost_to_output) session.add(value_mismatch(scene, d), scene, d);
  }
}

bool touches_as_target(const StepRefs& refs, const Ran& ran, const Tensor* view) {
  return view != nullptr && std::any_of(refs.targets.begin(), refs.targets.end(), [&](ValueId target) {
           const Tensor* written = view_in(*ran.run, target);
           return written != nullptr && share_bytes(*written, *view);
         });
}

/// The steps listed behind `swap.first` that run before it, in their order.
std::string moved_text(const Graph& graph, const Swap& swap) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string> names;
  for (const std::uint32_t s : swap.order) {
    if (s == swap.first) break;
    if (s > swap.first) names.push_back(place_of(graph, s).name);
  }
  std::string out;
  for (std::size_t k = 0; k < std::min(names.size(), kShown); ++k) out += (k > 0 ? ", " : "") + names[k];
  if (names.size() > kShown) out += " and " + std::to_string(names.size() - kShown) + " more";
  return out.empty() ? "the other" : out;
}

}  // namespace

Witness order_witness(const Scene& scene, const Swap& swap, const Difference& d) {
  const Graph& graph = *scene.after.graph;
  const Tensor* view = view_in(*scene.after.run, swap.shared);
  const bool first_writes =
      touches_as_target(step_refs(scene.ops, graph.steps[swap.first]), scene.after, view);
  const bool second_writes =
      touches_as_target(step_refs(scene.ops, graph.steps[swap.second]), scene.after, view);
  const Place first = place_of(graph, swap.first), second = place_of(graph, swap.second);
  Witness w = named(is_return(graph.steps[swap.second]) ? "NC011" : "NC010");
  w.define = first_writes && second_writes ? second : defining_place(graph, swap.shared);
  w.clobber = first_writes ? first : second;
  w.read = first_writes
               ? second_writes ? place_of(graph, static_cast<std::uint32_t>(graph.steps.size())) : second
               : first;
  if (!swap.shared.valid()) w.define = w.read = std::nullopt;
  if (view != nullptr) {
    w.storage = storage_name(scene.after, *view);
    w.first_byte = byte_extent(*view).first;
    w.last_byte = byte_extent(*view).last;
  }
  const std::string what =
      d.kind == Difference::Kind::value ? shown_text(scene, d) : d.expected + " becomes " + d.actual;
  w.message = "nothing orders " + first.name + " before " + second.name + ", and with " +
              moved_text(graph, swap) + " before it " + what;
  return w;
}

bool Session::found(const std::string& rule) const {
  return std::any_of(result.witnesses.begin(), result.witnesses.end(),
                     [&](const Witness& w) { return w.rule == rule; });
}

void Session::add(Witness witness, const Scene& scene, const Difference& d) {
  if (found(witness.rule)) return;
  witness.symbols = scene.options.symbols;
  witness.options = scene.options;
  witness.inputs = describe_inputs(value, scene.options);
  if (witness.where.empty()) {
    witness.where = d.kind == Difference::Kind::immutable || d.kind == Difference::Kind::raised
                        ? "step " + std::to_string(d.step)
                    : d.kind == Difference::Kind::effects ? "effects"
                                                          : target_text(d.target);
  }
  if (d.kind == Difference::Kind::value) witness.index = index_at(scene, d);
  if (d.kind != Difference::Kind::sharing) {
    witness.expected = d.expected;
    witness.actual = d.actual;
  }
  result.witnesses.push_back(std::move(witness));
}

void explain(Session& session, const Scene& scene, std::vector<Difference> found, const Guard* guard) {
  if (guard != nullptr) {
    std::erase_if(found, [&](const Difference& d) {
      const std::vector<std::string> names = guard->doubts(d, scene.expected);
      if (names.empty() || due_to_memory(scene, d, guard->folds_constants(d))) return false;
      session.result.approximated = true;
      for (const std::string& name : names) {
        auto& known = session.result.names;
        if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
      }
      return true;
    });
  }
  for (const Difference& d : found) {
    if (d.kind != Difference::Kind::raised) continue;
    for (Witness& w : raised(scene, d)) session.add(std::move(w), scene, d);
  }
  explain_values(session, scene, found);
  for (const Difference& d : found) {
    if (d.kind == Difference::Kind::immutable) session.add(immutable(scene, d), scene, d);
    if (d.kind == Difference::Kind::sharing) session.add(sharing(scene, d), scene, d);
    if (is_metadata(d.kind)) session.add(metadata(d), scene, d);
  }
  const bool values_differ = std::any_of(
      found.begin(), found.end(), [](const Difference& d) { return d.kind == Difference::Kind::value; });
  for (const Difference& d : found) {
    const bool same_length = scene.expected.effects.size() == scene.after.run->effects.size();
    if (d.kind == Difference::Kind::effects && !(values_differ && same_length))
      session.add(effects(scene, d), scene, d);
  }
}

}  // namespace noclobber
