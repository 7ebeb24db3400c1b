// Collects the touches of the placed storages: in the graph, and in the arms of its branches.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "src/graph/bodies.h"
#include "src/plan/placed.h"

namespace noclobber {
namespace {

constexpr std::size_t kBodies = 256;  // that are entered, in total

/// A graph that the collector walks: the method's own, or one arm of a branch.
struct Walk {
  const Graph* graph = nullptr;
  const Traced* traced = nullptr;
  std::string prefix;  // prefix of its values in the plan: "body0/"
  std::uint32_t guard = ArmGuard::kAlways;
  std::optional<std::uint32_t> at;          // step of the outermost graph; absent: this is the outermost
  std::map<StorageId, std::size_t> placed;  // storages with a place, its own or an operand's
  /// Results of branches: the storages that arms left them in, with the guard of the arm.
  std::map<StorageId, std::vector<std::pair<std::size_t, std::uint32_t>>> results;
};

class Collector {
 public:
  Collector(const Case& value, const OpSet& ops, const Traced& traced, Sizes& sizes)
      : case_(value), ops_(ops), sizes_(sizes), space_(sizes.space()) {
    top_.graph = &value.after;
    top_.traced = &traced;
    for (std::uint32_t k = 0; k < value.plan->buffers.size(); ++k)
      used_.push_back(!value.plan->buffers[k].is_value);
  }

  PlacedStorages run() {
    for (std::uint32_t k = 0; k < case_.plan->buffers.size(); ++k)
      if (!case_.plan->buffers[k].is_value) add_own(k);
    add_buffers(top_);
    walk(top_);
    add_boundary();
    note_outside(top_);
    for (const Graph* body : bodies_reached(case_))
      if (!entered_.contains(body->name)) note_outside(walk_of(*body));
    for (PlacedStorage& placed : out_.storages) set_life(placed);
    for (std::uint32_t k = 0; k < used_.size(); ++k)
      if (!used_[k]) out_.unresolved.push_back(k);
    return std::move(out_);
  }

 private:
  std::uint32_t leaving() const { return static_cast<std::uint32_t>(case_.after.steps.size()); }

  void add_own(std::uint32_t number) {
    const PlanBuffer& buffer = case_.plan->buffers[number];
    PlacedStorage placed;
    placed.buffers = {number};
    placed.starts = placed.bits = {0};
    placed.arena = buffer.arena;
    placed.name = buffer.name;
    placed.base = sizes_.of(buffer.offset);
    placed.bytes = sizes_.of(buffer.size);
    placed.first = *buffer.lower;
    placed.last = *buffer.upper;
    out_.storages.push_back(std::move(placed));
  }

  /// Adds the entries of the plan for values of this graph.
  void add_buffers(Walk& walk) {
    std::unordered_map<std::string_view, ValueId> names;
    for (std::size_t k = 0; k < walk.graph->values.size(); ++k)
      names.emplace(walk.graph->values[k].name, ValueId(k));
    for (std::uint32_t k = 0; k < case_.plan->buffers.size(); ++k) {
      const PlanBuffer& buffer = case_.plan->buffers[k];
      if (!buffer.is_value || !buffer.name.starts_with(walk.prefix)) continue;
      const auto id = names.find(std::string_view(buffer.name).substr(walk.prefix.size()));
      if (id != names.end()) add_buffer(walk, k, id->second);
    }
  }

  void add_buffer(Walk& walk, std::uint32_t number, ValueId id) {
    const PlanBuffer& buffer = case_.plan->buffers[number];
    const ValueViews& views = walk.traced->views;
    if (id.index >= views.values.size() || !views.values[id.index]) return;
    const TraceView& view = *views.values[id.index];
    const Index zero(view.shape.size() + (view.lanes > 0 ? 1 : 0), 0);
    const PolyId bit = view.maps.empty() ? 0 : bit_address(space_, views, view, zero);
    const PolyId start = space_.quotient(bit, space_.constant(8));
    if (start == Space::kBad) return;
    used_[number] = true;
    auto [known, added] = walk.placed.try_emplace(view.storage, out_.storages.size());
    if (added) {
      PlacedStorage placed;
      placed.storage = view.storage;
      placed.traced = walk.traced;
      placed.arena = buffer.arena;
      placed.name = buffer.name;
      placed.base = space_.sub(sizes_.of(buffer.offset), start);
      placed.bytes = storage_bytes(*walk.traced, view.storage);
      out_.storages.push_back(std::move(placed));
    }
    out_.storages[known->second].buffers.push_back(number);
    out_.storages[known->second].starts.push_back(start);
    out_.storages[known->second].bits.push_back(space_.sub(bit, space_.scale(start, 8)));
    out_.storages[known->second].views.emplace_back(walk.traced, &view);
  }

  PolyId storage_bytes(const Traced& traced, StorageId storage) {
    const PolyId count = element_count(space_, traced.after.storages[storage].shape);
    const int bits = bit_width(traced.views.layouts[storage].dtype);
    if (bits == 0) return Space::kBad;
    if (bits % 8 == 0) return space_.scale(count, bits / 8);
    return space_.quotient(space_.add(space_.scale(count, bits), space_.constant(7)), space_.constant(8));
  }

  void touch(const Walk& walk, StorageId storage, Touch how) {
    how.traced = walk.traced;
    how.guard = walk.guard;
    if (const auto at = walk.placed.find(storage); at != walk.placed.end())
      out_.storages[at->second].touches.push_back(how);
    const auto left = walk.results.find(storage);
    if (left == walk.results.end()) return;
    for (const auto& [place, guard] : left->second) {
      how.guard = both(walk.guard, guard);
      out_.storages[place].touches.push_back(how);
    }
  }

  /// The guard of a touch that needs both.
  std::uint32_t both(std::uint32_t a, std::uint32_t b) {
    if (a == ArmGuard::kAlways || a == b) return b;
    if (b == ArmGuard::kAlways) return a;
    const auto [known, added] = joined_.try_emplace({a, b}, b);
    if (!added) return known->second;
    std::uint32_t out = b;
    for (std::uint32_t x = a; x != ArmGuard::kAlways; x = out_.guards[x].outer) {
      const ArmGuard copy{out_.guards[x].branch, out_.guards[x].arm, out};
      out_.guards.push_back(copy);
      out = static_cast<std::uint32_t>(out_.guards.size() - 1);
    }
    return joined_[{a, b}] = out;
  }

  void walk(Walk& walk) {
    std::size_t next = 0;
    const std::vector<TraceStep>& steps = walk.traced->after.steps;
    for (std::uint32_t k = 0; k < walk.graph->steps.size(); ++k) {
      if (!walk.at) moment_ = 0;
      const std::uint32_t at = walk.at.value_or(k);
      ++moment_;
      const std::uint32_t before = moment_;
      const bool entered =
          walk.graph->steps[k].op == "higher_order.cond" && enter(walk, walk.graph->steps[k], at);
      moment_ += entered ? 1 : 0;
      for (; next < steps.size() && steps[next].origin <= k; ++next)
        accesses(walk, static_cast<std::uint32_t>(next), at, entered ? std::optional(before) : std::nullopt);
    }
    ++moment_;
    for (; next < steps.size(); ++next)
      accesses(walk, static_cast<std::uint32_t>(next), walk.at.value_or(leaving()));
  }

  /// `entered`: the moment of a branch whose arms were walked. The branch reads its condition then; the arms
  /// read its operands.
  void accesses(const Walk& walk, std::uint32_t number, std::uint32_t at,
                std::optional<std::uint32_t> entered = std::nullopt) {
    const TraceStep& step = walk.traced->after.steps[number];
    Touch how;
    how.at = at;
    how.step = number;
    how.moment = moment_;
    for (how.item = 0; how.item < step.reads.size(); ++how.item) {
      if (entered && how.item > 0) break;
      how.moment = entered.value_or(moment_);
      how.view = &step.reads[how.item];
      touch(walk, how.view->storage, how);
    }
    how.writes = true;
    how.moment = moment_;
    for (how.item = 0; how.item < step.writes.size(); ++how.item) {
      how.view = &step.writes[how.item];
      touch(walk, how.view->storage, how);
    }
  }

  Walk walk_of(const Graph& body) {
    Case inner;
    inner.symbols = case_.symbols;
    inner.assume = case_.assume;
    inner.bodies = case_.bodies;
    inner.after = body;
    inner.names_are_values = false;
    inner.plan = Plan{};  // so that its views are recorded
    bodies_.push_back(body);
    out_.bodies.push_back(trace_case(inner, ops_, sizes_));
    Walk out;
    out.graph = &bodies_.back();
    out.traced = &out_.bodies.back();
    out.prefix = body.name + "/";
    return out;
  }

  void note_outside(const Walk& walk) {
    const auto placed = [&](StorageId storage) {
      return walk.placed.contains(storage) || walk.results.contains(storage);
    };
    name_unplaced(space_, *walk.graph, *walk.traced, walk.prefix, placed, out_.outside);
  }

  /// Walks both arms of a branch whose bodies have places, one after the other; they never run together.
  bool enter(Walk& walk, const Step& step, std::uint32_t at) {
    if (step.args.size() != 4 || step.args[3].kind != Arg::Kind::list) return false;
    const Graph* bodies[] = {find_body(case_, *walk.graph, step.args[1].text),
                             find_body(case_, *walk.graph, step.args[2].text)};
    if (bodies[0] == nullptr || bodies[1] == nullptr || out_.bodies.size() + 2 > kBodies) return false;
    if (!has_places(*bodies[0]) && !has_places(*bodies[1])) return false;
    const auto [number, negated] = question(walk, step.args[0]);
    for (const std::uint32_t arm : {0U, 1U}) {
      const Graph* body = bodies[arm];
      out_.guards.push_back({number, negated ? 1 - arm : arm, walk.guard});
      Walk next = walk_of(*body);
      entered_.insert(body->name);
      next.guard = static_cast<std::uint32_t>(out_.guards.size() - 1);
      next.at = at;
      take_operands(walk, step, next);
      add_buffers(next);
      this->walk(next);
      note_outside(next);
      hand_back(walk, step, next);
    }
    return true;
  }

  /// The number of the branch's condition, and whether the branch asks for its negation: branches on one
  /// truth value, or on its negation, are decided together.
  std::pair<std::uint32_t, bool> question(const Walk& walk, const Arg& predicate) {
    const Graph& graph = *walk.graph;
    if (walk.at || predicate.kind != Arg::Kind::ref) return {branches_++, false};
    if (!stores_truth_) stores_truth_ = stores_truth(graph);
    if (*stores_truth_) return {branches_++, false};
    ValueId id = predicate.ref;
    bool negated = false;
    for (const Step* maker = maker_of(graph, id); maker != nullptr; maker = maker_of(graph, id)) {
      const bool turns = maker->op == "aten.logical_not.default" || maker->op == "aten.bitwise_not.default";
      if (!turns || maker->args.size() != 1 || !is_truth(graph, maker->args[0])) break;
      negated = !negated;
      id = maker->args[0].ref;
    }
    const auto [at, added] = questions_.try_emplace(id, branches_);
    branches_ += added ? 1 : 0;
    return {at->second, negated};
  }

  static const Step* maker_of(const Graph& graph, ValueId id) {
    const Value& value = graph.value(id);
    return value.from == Value::From::step ? &graph.steps[value.at] : nullptr;
  }

  static bool is_truth(const Graph& graph, const Arg& arg) {
    if (arg.kind != Arg::Kind::ref) return false;
    const auto& type = graph.value(arg.ref).type;
    return type && type->dtype == Dtype::boolean;
  }

  /// True if a step may store into a truth value, judged by types.
  bool stores_truth(const Graph& graph) const {
    return std::ranges::any_of(graph.steps, [&](const Step& step) {
      const Schema* schema = ops_.find(step.op);
      for (std::size_t k = 0; schema && k < schema->arguments.size() && k < step.args.size(); ++k) {
        const Arg& arg = step.args[k];
        const bool stored = schema->arguments[k].written && arg.kind == Arg::Kind::ref;
        if (stored && (!graph.value(arg.ref).type || is_truth(graph, arg))) return true;
      }
      return false;
    });
  }

  bool has_places(const Graph& body) const {
    return std::ranges::any_of(case_.plan->buffers, [&](const PlanBuffer& b) {
      return b.is_value && b.name.starts_with(body.name + "/");
    });
  }

  static const TraceView* view_of(const Walk& walk, const Arg& arg) {
    if (arg.kind != Arg::Kind::ref || arg.ref.index >= walk.traced->views.values.size()) return nullptr;
    const auto& view = walk.traced->views.values[arg.ref.index];
    return view ? &*view : nullptr;
  }

  /// Binds the inputs of a body to the storages of the operands.
  void take_operands(const Walk& outer, const Step& step, Walk& inner) {
    const auto& operands = step.args[3].list;
    for (std::size_t k = 0; k < inner.graph->inputs.size() && k < operands.size(); ++k) {
      const TraceView* mine = view_of(inner, Arg::of(inner.graph->inputs[k].value));
      const TraceView* given = view_of(outer, operands[k]);
      if (mine == nullptr || given == nullptr) continue;
      if (const auto at = outer.placed.find(given->storage); at != outer.placed.end())
        inner.placed.emplace(mine->storage, at->second);
      if (const auto at = outer.results.find(given->storage); at != outer.results.end())
        inner.results.emplace(mine->storage, at->second);
    }
  }

  /// A result without a place lies where the arm left it, and later touches of it are touches of that
  /// storage.
  void hand_back(Walk& outer, const Step& step, const Walk& inner) {
    for (std::size_t k = 0; k < step.results.size() && k < inner.graph->outputs.size(); ++k) {
      const TraceView* mine = view_of(inner, inner.graph->outputs[k]);
      const TraceView* result = step.results[k].valid() ? view_of(outer, Arg::of(step.results[k])) : nullptr;
      if (mine == nullptr) continue;
      Touch leave;
      leave.at = *inner.at;
      leave.moment = moment_;
      leave.view = mine;
      touch(inner, mine->storage, leave);
      if (result == nullptr || outer.placed.contains(result->storage)) continue;
      auto& places = outer.results[result->storage];
      if (const auto at = inner.placed.find(mine->storage); at != inner.placed.end())
        places.emplace_back(at->second, inner.guard);
      if (const auto at = inner.results.find(mine->storage); at != inner.results.end())
        for (const auto& [place, guard] : at->second) places.emplace_back(place, both(inner.guard, guard));
    }
  }

  /// State that the next call begins with survives even if its contents at exit are unconstrained.
  bool survives(const Input& input, const TraceView& view) const {
    if (top_.traced->after.storages[view.storage].compared) return true;
    return input.kind != Input::Kind::user && !input.exit;
  }

  void add_boundary() {
    const Trace& trace = top_.traced->after;
    Touch leave;
    leave.at = leaving();
    leave.moment = std::numeric_limits<std::uint32_t>::max();
    for (const TraceInput& input : trace.inputs)
      for (const Input& given : case_.after.inputs) {
        if (case_.after.value(given.value).name != input.name) continue;
        const auto at = top_.placed.find(input.view.storage);
        if (at != top_.placed.end()) out_.storages[at->second].is_input = true;
        if (survives(given, input.view)) touch(top_, input.view.storage, leave);
      }
    for (const TraceOutput& output : trace.outputs) {
      if (!output.view) continue;
      leave.view = &*output.view;
      touch(top_, output.view->storage, leave);
    }
  }

  static void set_life(PlacedStorage& placed) {
    if (!placed.storage) return;
    for (std::size_t k = 0; k < placed.touches.size(); ++k) {
      const std::int64_t at = placed.touches[k].at;
      placed.first = k == 0 ? at : std::min(placed.first, at);
      placed.last = std::max(placed.last, at + 1);
    }
    if (placed.is_input) placed.first = 0;
  }

  const Case& case_;
  const OpSet& ops_;
  Sizes& sizes_;
  Space& space_;
  Walk top_;
  PlacedStorages out_;
  std::vector<bool> used_;
  std::deque<Graph> bodies_;
  std::set<std::string> entered_;  // bodies that were walked
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> joined_;
  std::map<ValueId, std::uint32_t> questions_;  // numbers of branches, by their condition
  std::optional<bool> stores_truth_;            // of the outermost graph; computed on demand
  std::uint32_t branches_ = 0, moment_ = 0;
};

}  // namespace

PlacedStorages placed_storages(const Case& value, const OpSet& ops, const Traced& traced, Sizes& sizes) {
  return Collector(value, ops, traced, sizes).run();
}

}  // namespace noclobber
