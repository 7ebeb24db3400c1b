#include "src/effects/loops.h"

#include <algorithm>

#include "src/graph/bodies.h"
#include "src/graph/uses.h"

namespace noclobber {
namespace {

constexpr std::size_t kLoops = 64;

std::vector<const Step*> loops_in(const Graph& graph) {
  std::vector<const Step*> out;
  for (const Step& step : graph.steps)
    if (is_loop(step)) out.push_back(&step);
  return out;
}

bool mentions(const Arg& arg, ValueId id) {
  return (arg.kind == Arg::Kind::ref && arg.ref == id) ||
         std::any_of(arg.list.begin(), arg.list.end(), [&](const Arg& item) { return mentions(item, id); });
}

/// True if the body uses its input k.
bool uses_input(const Graph& body, std::size_t k) {
  const ValueId id = body.inputs[k].value;
  const auto here = [&](const Arg& arg) { return mentions(arg, id); };
  return std::any_of(body.outputs.begin(), body.outputs.end(), here) ||
         std::any_of(body.steps.begin(), body.steps.end(), [&](const Step& step) {
           return std::any_of(step.args.begin(), step.args.end(), here) ||
                  std::any_of(step.kwargs.begin(), step.kwargs.end(),
                              [&](const auto& one) { return here(one.second); });
         });
}

/// True if the layout is that of a fresh buffer of these sizes.
bool lies_plainly(const Type& type) {
  if (type.strides == Type::Strides::unknown || type.offset != SymExpr(0)) return false;
  SymExpr expected = 1;
  for (std::size_t k = type.stride.size(); k-- > 0; expected = expected * type.shape[k])
    if (type.stride[k] != expected) return false;
  return true;
}

/// Buffers that only the body of `after` uses: no trip may depend on their contents when it begins.
std::set<std::uint32_t> scratch_of(const Case& value, const Step& before, const Step& after,
                                   std::size_t carried) {
  std::set<std::uint32_t> out;
  const Graph* body = find_body(value, value.after, after.args[1].text);
  for (std::uint32_t k = static_cast<std::uint32_t>(carried); body != nullptr && k < body->inputs.size(); ++k)
    if (uses_input(*body, k)) out.insert(k);
  if (body != nullptr && counts_in_storage(value, *body)) out.clear();
  const std::pair<const Graph*, const Step*> sides[] = {{&*value.before, &before}, {&value.after, &after}};
  for (const auto& [graph, step] : sides)
    for (std::size_t arg = 0; arg < 2; ++arg) {
      const Graph* other = find_body(value, *graph, step->args[arg].text);
      const bool own = graph == &value.after && arg == 1;
      std::erase_if(out, [&](std::uint32_t k) {
        if (other == nullptr || k >= other->inputs.size()) return true;
        const SharedType& type = other->value(other->inputs[k].value).type;
        return !type || !lies_plainly(*type) || (!own && uses_input(*other, k));
      });
    }
  return out;
}

/// Makes the inputs results of `empty` in the graph instead: their contents are undefined.
void make_scratch(Graph& graph, const std::set<std::uint32_t>& scratch) {
  std::vector<Step> made;
  for (const std::uint32_t k : scratch) {
    const Value& value = graph.value(graph.inputs[k].value);
    std::vector<Arg> sizes;
    for (const SymExpr& size : value.type->shape) sizes.push_back(Arg::of(size));
    Step step;
    step.op = "aten.empty.memory_format";
    step.args = {Arg::of(std::move(sizes))};
    step.kwargs = {{"dtype", Arg::of_dtype(value.type->dtype)}};
    step.results = {graph.inputs[k].value};
    made.push_back(std::move(step));
  }
  graph.steps.insert(graph.steps.begin(), made.begin(), made.end());
  for (auto k = scratch.rbegin(); k != scratch.rend(); ++k)
    graph.inputs.erase(graph.inputs.begin() + static_cast<std::ptrdiff_t>(*k));
  number_values(graph);
}

/// A body as a graph of its own, with inputs named by their position, and without those in `scratch`.
Graph numbered(const Graph& body, bool carries, std::size_t carried, const std::set<std::uint32_t>& scratch) {
  Graph out = body;
  for (std::size_t k = 0; k < out.inputs.size(); ++k) {
    Input& input = out.inputs[k];
    out.values[input.value.index].name = std::to_string(k);
    input.may_write = true;  // writes are judged where the loop stands
    input.exit = carries && k < carried ? Input::Exit::any : Input::Exit::as_before;
    input.storage.clear();
    input.storage_numel.reset();
  }
  make_scratch(out, scratch);
  return out;
}

Case pair_of_bodies(const Case& value, const Graph& before, const Graph& after, bool carries,
                    std::size_t carried, const std::set<std::uint32_t>& scratch) {
  Case out = value;
  out.before = numbered(before, carries, carried, scratch);
  out.after = numbered(after, carries, carried, scratch);
  out.before->bodies.insert(value.before->bodies.begin(), value.before->bodies.end());
  out.after.bodies.insert(value.after.bodies.begin(), value.after.bodies.end());
  out.dataflow = false;
  out.names_are_values = false;
  out.compare_strides = false;
  out.sharing_may_grow = out.sharing_may_shrink = true;
  out.may_share.clear();
  out.plan.reset();
  return out;
}

/// True if a body holds constants, which no operand gives: it is no function of its operands.
bool holds_constants(const Graph& body) {
  return std::ranges::any_of(body.inputs,
                             [](const Input& input) { return input.kind == Input::Kind::constant; });
}

struct BodyPair {
  std::string place;
  const Graph *before, *after;
};

/// The bodies of both loops at equal places. Empty if a body would go uncompared.
std::vector<BodyPair> paired_bodies(const Case& value, const Step& a, const Step& b) {
  const auto ours = bodies_given(a), theirs = bodies_given(b);
  std::vector<BodyPair> out;
  for (std::size_t k = 0; k < ours.size() && ours.size() == theirs.size(); ++k) {
    const Graph* before = find_body(value, *value.before, ours[k].second);
    const Graph* after = find_body(value, value.after, theirs[k].second);
    if (ours[k].first != theirs[k].first || before == nullptr || after == nullptr ||
        before->inputs.size() != after->inputs.size() || holds_constants(*before) || holds_constants(*after))
      return {};
    out.push_back({ours[k].first, before, after});
  }
  return out;
}

}  // namespace

bool is_loop(const Step& step) {
  if (!step.op->starts_with("higher_order.")) return false;
  for (const char* op : {"higher_order.while_loop", "higher_order.scan", "higher_order.map_impl",
                         "higher_order.map", "higher_order.flex_attention", "higher_order.associative_scan"})
    if (step.op == op || step.op->starts_with(std::string(op) + ".")) return true;
  return false;
}

SharedType returned_type(const Case& value, const Graph& graph, const Step& loop, std::size_t k) {
  const auto bodies = bodies_given(loop);
  const Graph* body = bodies.size() == 1 ? find_body(value, graph, bodies[0].second) : nullptr;
  const bool told = body != nullptr && k < body->outputs.size() && body->outputs[k].kind == Arg::Kind::ref;
  return told ? body->value(body->outputs[k].ref).type : SharedType();
}

std::vector<LoopBody> loop_bodies(const Case& value) {
  std::vector<LoopBody> out;
  if (!value.before) {
    Case twice = value;
    twice.before = value.after;
    return loop_bodies(twice);
  }
  const auto ours = loops_in(*value.before), theirs = loops_in(value.after);
  if (ours.size() != theirs.size() || ours.size() > kLoops) return out;
  for (std::uint32_t k = 0; k < ours.size(); ++k) {
    const Step &a = *ours[k], &b = *theirs[k];
    if (a.op != b.op || a.args.size() != b.args.size()) continue;
    const bool loop = a.op->starts_with("higher_order.while_loop") && a.args.size() > 2;
    for (const auto& [place, before, after] : paired_bodies(value, a, b)) {
      const bool carries = loop && place == "1";
      const std::size_t carried = loop ? a.args[2].list.size() : 0;
      const bool scans = a.op->starts_with("higher_order.scan") && a.args.size() > 1;
      const std::size_t passing = carries ? carried : scans ? a.args[1].list.size() : 0;
      const auto scratch = loop ? scratch_of(value, a, b, carried) : std::set<std::uint32_t>{};
      out.push_back({"loop" + std::to_string(k) + " body" + place, k, carries, passing, scratch,
                     pair_of_bodies(value, *before, *after, carries, carried, scratch)});
    }
  }
  return out;
}

namespace {
/// The position that is the name of an input. Empty if the graph is no body of a loop.
std::optional<std::uint32_t> position(const TraceInput& input) {
  const std::string& name = input.name;
  const bool is_number = std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number || name.empty() || name.size() >= 9) return std::nullopt;
  return static_cast<std::uint32_t>(std::stoul(name));
}
}  // namespace

BodyFacts facts_of(const Trace& body, const Reached& reached) {
  BodyFacts out;
  std::map<StorageId, std::set<std::uint32_t>> shown;
  for (const TraceInput& input : body.inputs) {
    const auto k = position(input);
    if (!k) continue;
    shown[input.view.storage].insert(*k);
    if (input.view.maps.empty()) out.whole.insert(*k);
    if (!input.view.maps.empty() && reached.beyond.contains(input.view.storage)) out.beyond.insert(*k);
    if (reached.from_start.contains(input.view.storage)) out.from_start.insert(*k);
  }
  for (const TraceStep& step : body.steps)
    for (const TraceView& view : step.writes) {
      if (const auto at = shown.find(view.storage); at != shown.end())
        out.written.insert(at->second.begin(), at->second.end());
      // A branch that was expanded into the graph writes a token for its direction: no effect of the body.
      if (body.storages[view.storage].start == TraceStorage::Start::token)
        out.plain = out.plain && step.key->starts_with("noclobber.branch.default");
    }
  std::set<StorageId> seen;
  for (const TraceOutput& output : body.outputs) {
    out.from.emplace_back();
    if (!output.view) continue;
    out.from.back() = shown[output.view->storage];
    out.plain = out.plain && !body.storages[output.view->storage].key.text().starts_with(kShadow);
    out.plain = out.plain && seen.insert(output.view->storage).second;
  }
  out.plain = out.plain && body.unknown.empty();
  out.results = {reached.outputs};
  return out;
}

void merge(BodyFacts& into, const BodyFacts& more) {
  into.from.resize(std::max(into.from.size(), more.from.size()));
  for (std::size_t k = 0; k < more.from.size(); ++k)
    into.from[k].insert(more.from[k].begin(), more.from[k].end());
  into.written.insert(more.written.begin(), more.written.end());
  into.plain = into.plain && more.plain;
  into.whole.insert(more.whole.begin(), more.whole.end());
  into.beyond.insert(more.beyond.begin(), more.beyond.end());
  into.from_start.insert(more.from_start.begin(), more.from_start.end());
  into.results.insert(into.results.end(), more.results.begin(), more.results.end());
}

}  // namespace noclobber
