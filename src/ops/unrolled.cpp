#include "src/ops/unrolled.h"

#include <algorithm>
#include <set>

#include "src/graph/bodies.h"
#include "src/graph/value_names.h"

namespace noclobber {
namespace {

constexpr std::size_t kUnrolledSteps = 4096;

bool is_map(const Step& step) { return step.op.starts_with("higher_order.map_impl"); }
bool is_scan(const Step& step) {
  return step.op == "higher_order.scan" || step.op == "higher_order.scan.default";
}

using Standing = std::vector<Arg>;  // per value of a graph: what stands for it

/// A loop with everything that is needed to write it out.
struct KnownLoop {
  const Graph* body = nullptr;
  std::vector<Arg> carried, items, more;  // in the outer graph
  std::int64_t trips = 0;
};

class Unroller {
 public:
  Unroller(const Case& value, const Graph& top, Plan* plan)
      : case_(value), plan_(plan), names_(names_beside(top)) {
    out_.name = top.name;
    out_.bodies = top.bodies;
  }

  /// Nothing where the graph would grow too large.
  std::optional<Graph> run(const Graph& top) {
    out_.values = top.values;  // ids stay what they are
    out_.inputs = top.inputs;
    out_.outputs = top.outputs;
    out_.finals = top.finals;
    for (const Step& step : top.steps) {
      const auto loop = is_map(step) || is_scan(step) ? known(top, step) : std::nullopt;
      if (loop) {
        write_out(*loop, step);
      } else {
        for (const ValueId id : step.results)
          if (id.valid()) out_.values[id.index].at = number();
        out_.steps.push_back(step);
      }
      if (out_.steps.size() > kUnrolledSteps) return std::nullopt;
    }
    return std::move(out_);
  }

  /// Places that each trip has taken over.
  void drop_places() {
    if (plan_ != nullptr)
      std::erase_if(plan_->buffers,
                    [&](const PlanBuffer& b) { return b.is_value && bodies_.contains(b.name); });
  }

 private:
  std::uint32_t number() const { return static_cast<std::uint32_t>(out_.steps.size()); }

  /// Items of an argument, all of which must be tensors.
  static bool take(const Step& step, std::size_t k, std::vector<Arg>& out) {
    if (k >= step.args.size()) return true;
    if (step.args[k].kind != Arg::Kind::list) return false;
    out = step.args[k].list;
    return std::ranges::all_of(out, [](const Arg& a) { return a.kind == Arg::Kind::ref; });
  }

  /// Does the body hand on what it was given, as far as its types tell?
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
    if (out.body == nullptr || (is_scan(step) && !take(step, 1, out.carried)) ||
        !take(step, first, out.items) || !take(step, first + 1, out.more) || out.items.empty())
      return std::nullopt;
    const bool fits = out.body->inputs.size() == out.carried.size() + out.items.size() + out.more.size() &&
                      out.body->outputs.size() == step.results.size() && out.body->finals.empty() &&
                      out.body->outputs.size() >= out.carried.size();
    // Written out, what is carried is a copy, in a storage that holds nothing else.
    if (!fits || counts_in_storage(case_, *out.body) || !carries_alike(out)) return std::nullopt;
    for (const Arg& item : out.items) {
      const auto& type = graph.value(item.ref).type;
      if (!type || type->shape.empty() || !type->shape[0].is_constant()) return std::nullopt;
      const std::int64_t length = type->shape[0].constant();
      if (length <= 0 || (out.trips > 0 && out.trips != length)) return std::nullopt;
      out.trips = length;
    }
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

  Arg emit(const Step& of, std::string op, std::vector<Arg> args, const std::string& name) {
    const ValueId value(out_.values.size());
    out_.values.push_back({names_.fresh(name), Value::From::step, number(), 0, std::nullopt});
    Step& step = out_.steps.emplace_back();
    step.op = std::move(op);
    step.args = std::move(args);
    step.results = {value};
    step.loc = of.loc;
    return Arg::of(value);
  }

  static Arg placed(const Arg& arg, const Standing& places) {
    if (arg.kind == Arg::Kind::ref) return places[arg.ref.index];
    Arg out = arg;
    for (Arg& item : out.list) item = placed(item, places);
    return out;
  }

  /// A storage for every result, which the trips write into.
  std::vector<Arg> begin(const KnownLoop& loop, const Step& step) {
    std::vector<Arg> out;
    for (std::size_t k = 0; k < step.results.size(); ++k) {
      const std::string name = out_.value(step.results[k]).name + "/loop";
      if (k < loop.carried.size()) {
        out.push_back(emit(step, "aten.clone.default", {loop.carried[k]}, name));
        continue;
      }
      const Type type = *out_.value(step.results[k]).type;
      std::vector<Arg> sizes;
      for (const SymExpr& size : type.shape) sizes.push_back(Arg::of(size));
      out.push_back(emit(step, "aten.empty.memory_format", {Arg::of(std::move(sizes))}, name));
      out_.steps.back().kwargs = {{"dtype", Arg::of_dtype(type.dtype)}};
      out_.values.back().type = type;
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
      for (const Step& inner : loop.body->steps) copy(*loop.body, inner, places, trip);
      finish(loop, step, places, trip, results);
    }
    for (std::size_t k = 0; k < results.size(); ++k) {  // names mean values: what they are now
      Value& value = out_.values[step.results[k].index];
      value.at = number();
      value.result = 0;
      Step& named = out_.steps.emplace_back();
      named.op = "aten.alias.default";
      named.barrier = true;
      named.args = {results[k]};
      named.results = {step.results[k]};
      named.loc = step.loc;
    }
  }

  void copy(const Graph& body, const Step& step, Standing& places, std::int64_t trip) {
    Step out = step;
    const auto take = [&](Arg& arg) {
      arg = placed(arg, places);
      take_bodies(case_, body, body.name + "/", arg, out_);
    };
    for (Arg& arg : out.args) take(arg);
    for (auto& [name, arg] : out.kwargs) take(arg);
    for (std::size_t k = 0; k < out.results.size(); ++k) {
      if (!step.results[k].valid()) continue;
      const Value& value = body.value(step.results[k]);
      const std::string own = body.name + "/" + value.name;
      const ValueId id(out_.values.size());
      out_.values.push_back({names_.fresh(own + "." + std::to_string(trip)), Value::From::step, number(),
                             static_cast<std::uint32_t>(k), value.type});
      place_like(own, out_.values.back().name);
      out.results[k] = id;
      places[step.results[k].index] = Arg::of(id);
    }
    out_.steps.push_back(std::move(out));
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

  /// Rows first: they may be what was carried. `results`: the storages, by their latest names.
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
    if (carried > 1)  // one may be another, or a view of it
      for (std::size_t k = 0; k < carried; ++k)
        if (made[k].ref != results[k].ref) made[k] = emit(step, "aten.clone.default", {made[k]}, "kept");
    for (std::size_t k = 0; k < carried; ++k)
      if (made[k].ref != results[k].ref)
        results[k] = emit(step, "aten.copy_.default", {results[k], made[k]}, "stored");
  }

  const Case& case_;
  Plan* plan_;
  Graph out_;
  UniqueNames names_;
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
