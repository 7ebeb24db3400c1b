#include "src/ops/unrolled.h"

#include <algorithm>
#include <set>

#include "src/ops/trips.h"

namespace noclobber {
namespace {

constexpr std::size_t kUnrolledSteps = 4096;

bool is_map(const Step& step) { return step.op->starts_with("higher_order.map_impl"); }
bool is_scan(const Step& step) {
  return step.op == "higher_order.scan" || step.op == "higher_order.scan.default";
}

/// A loop, with all that is needed to unroll it.
struct KnownLoop {
  const Graph* body = nullptr;
  std::vector<Arg> carried, items, more;  // in the outer graph
  std::int64_t trips = 0;
};

class Unroller : TripsWriter {
 public:
  Unroller(const Case& value, const Graph& top, Plan* plan)
      : TripsWriter(value, top), case_(value), plan_(plan) {}

  /// Empty if the graph would grow too large.
  std::optional<Graph> run(const Graph& top) {
    for (const Step& step : top.steps) {
      const auto loop = is_map(step) || is_scan(step) ? known(top, step) : std::nullopt;
      loop ? write_out(*loop, step) : keep(step);
      if (written.steps.size() > kUnrolledSteps) return std::nullopt;
    }
    return std::move(written);
  }

  /// Removes the entries of body values from the plan: each trip has its own.
  void drop_places() {
    if (plan_ != nullptr)
      std::erase_if(plan_->buffers,
                    [&](const PlanBuffer& b) { return b.is_value && bodies_.contains(b.name); });
  }

 private:
  /// False if the types of the body are known to differ between a carried input and its result.
  static bool carries_alike(const KnownLoop& loop) {
    for (std::size_t k = 0; k < loop.carried.size(); ++k) {
      const Arg& made = loop.body->outputs[k];
      const SharedType given = loop.body->value(loop.body->inputs[k].value).type,
                       type = made.kind == Arg::Kind::ref ? loop.body->value(made.ref).type : SharedType();
      if (given && type && (given->dtype != type->dtype || given->shape != type->shape)) return false;
    }
    return true;
  }

  std::optional<KnownLoop> known(const Graph& graph, const Step& step) const {
    KnownLoop out;
    const std::size_t first = is_scan(step) ? 2 : 1;
    if (step.args.empty() || !step.kwargs.empty() || step.args.size() > first + 2) return std::nullopt;
    if (step.args[0].kind == Arg::Kind::graph) out.body = find_body(case_, graph, step.args[0].text);
    if (out.body == nullptr || (is_scan(step) && !take_tensors(step, 1, out.carried)) ||
        !take_tensors(step, first, out.items) || !take_tensors(step, first + 1, out.more) ||
        out.items.empty())
      return std::nullopt;
    const bool fits = out.body->inputs.size() == out.carried.size() + out.items.size() + out.more.size() &&
                      out.body->outputs.size() == step.results.size() && out.body->finals.empty() &&
                      out.body->outputs.size() >= out.carried.size();
    // The unrolled loop copies carried values, into storages that hold nothing else.
    if (!fits || counts_in_storage(case_, *out.body) || !carries_alike(out)) return std::nullopt;
    const auto trips = length_of_items(graph, out.items);
    if (!trips) return std::nullopt;
    out.trips = *trips;
    for (std::size_t k = 0; k < step.results.size(); ++k) {
      const bool stacked = k >= out.carried.size();
      const auto* type = step.results[k].valid() && graph.value(step.results[k]).type
                             ? &*graph.value(step.results[k]).type
                             : nullptr;
      if (type == nullptr || out.body->outputs[k].kind != Arg::Kind::ref ||
          (stacked && (type->shape.empty() || type->shape[0] != SymExpr(out.trips))))
        return std::nullopt;
    }
    const std::size_t steps = out.body->steps.size() + 2 * step.results.size() + out.items.size();
    return static_cast<std::size_t>(out.trips) < kUnrolledSteps &&
                   steps * static_cast<std::size_t>(out.trips) < kUnrolledSteps
               ? std::optional(out)
               : std::nullopt;
  }

  /// Emits a storage for every result, which the trips write.
  std::vector<Arg> begin(const KnownLoop& loop, const Step& step) {
    std::vector<Arg> out;
    for (std::size_t k = 0; k < step.results.size(); ++k) {
      const std::string name = written.value(step.results[k]).name + "/loop";
      if (k < loop.carried.size()) {
        out.push_back(emit(step, "aten.clone.default", {loop.carried[k]}, name));
        continue;
      }
      const Type type = *written.value(step.results[k]).type;
      std::vector<Arg> sizes;
      for (const SymExpr& size : type.shape) sizes.push_back(Arg::of(size));
      out.push_back(emit(step, "aten.empty.memory_format", {Arg::of(std::move(sizes))}, name));
      written.steps.back().kwargs = {{"dtype", Arg::of_dtype(type.dtype)}};
      written.values.back().type = type;
    }
    return out;
  }

  void write_out(const KnownLoop& loop, const Step& step) {
    std::vector<Arg> results = begin(loop, step);
    const std::string prefix = loop.body->name + "/";
    for (std::int64_t trip = 0; trip < loop.trips; ++trip) {
      Standing places(loop.body->values.size());
      std::size_t next = 0;
      const auto give = [&](const Arg& arg) { places[loop.body->inputs[next++].value.index] = arg; };
      for (std::size_t k = 0; k < loop.carried.size(); ++k) give(results[k]);
      for (const Arg& item : loop.items)
        give(emit(step, "aten.select.int", {item, Arg::of(SymExpr(0)), Arg::of(SymExpr(trip))},
                  prefix + "item" + std::to_string(trip)));
      for (const Arg& arg : loop.more) give(arg);
      for (const Step& inner : loop.body->steps) run_in_trip(*loop.body, inner, places, trip);
      finish(loop, step, places, trip, results);
    }
    for (std::size_t k = 0; k < results.size(); ++k) {  // results are the contents at this point
      name_result(step, k, "aten.alias.default", {results[k]}).barrier = true;
    }
  }

  void run_in_trip(const Graph& body, const Step& step, Standing& places, std::int64_t trip) {
    for (const ValueId id : copy(body, step, places, trip).results)
      if (id.valid()) {
        const Value& original = body.value(step.results[written.values[id.index].result]);
        place_like(body.name + "/" + original.name, written.values[id.index].name);
      }
  }

  void place_like(const std::string& name, const std::string& trip) {
    if (plan_ == nullptr) return;
    for (std::size_t k = 0; k < plan_->buffers.size(); ++k) {
      if (!plan_->buffers[k].is_value || plan_->buffers[k].name != name) continue;
      PlanBuffer copy = plan_->buffers[k];
      copy.name = trip;
      copy.lower.reset();
      copy.upper.reset();
      bodies_.insert(name);
      plan_->buffers.push_back(std::move(copy));
      return;
    }
  }

  /// Stores rows first, since they may be carried values. `results`: the storages, by their latest names.
  void finish(const KnownLoop& loop, const Step& step, const Standing& places, std::int64_t trip,
              std::vector<Arg>& results) {
    const std::size_t carried = loop.carried.size();
    std::vector<Arg> made;
    for (const Arg& arg : loop.body->outputs) made.push_back(placed(arg, places));
    for (std::size_t k = carried; k < made.size(); ++k) {
      const Arg row =
          emit(step, "aten.select.int", {results[k], Arg::of(SymExpr(0)), Arg::of(SymExpr(trip))}, "row");
      emit(step, "aten.copy_.default", {row, made[k]}, "stored");
    }
    if (carried > 1)  // one may alias another
      for (std::size_t k = 0; k < carried; ++k)
        if (made[k].ref != results[k].ref) made[k] = emit(step, "aten.clone.default", {made[k]}, "kept");
    for (std::size_t k = 0; k < carried; ++k)
      if (made[k].ref != results[k].ref)
        results[k] = emit(step, "aten.copy_.default", {results[k], made[k]}, "stored");
  }

  const Case& case_;
  Plan* plan_;
  std::set<std::string> bodies_;
};

bool has_loops(const Graph& graph) {
  return std::ranges::any_of(graph.steps, [](const Step& s) { return is_map(s) || is_scan(s); });
}

}  // namespace

Case with_loops_written_out(const Case& value) {
  if (!has_loops(value.after) && !(value.before && has_loops(*value.before))) return value;
  Case out = value;
  Unroller after(value, value.after, out.plan ? &*out.plan : nullptr);
  auto graph = after.run(value.after);
  if (!graph) return value;
  after.drop_places();
  out.after = *std::move(graph);
  if (!value.before) return out;
  auto before = Unroller(value, *value.before, nullptr).run(*value.before);
  if (!before) return value;
  out.before = *std::move(before);
  return out;
}

}  // namespace noclobber
