#include <algorithm>
#include <optional>

#include "src/graph/bodies.h"
#include "src/graph/value_names.h"
#include "src/ops/decl.h"
#include "src/ops/known_trips.h"
#include "src/ops/unrolled.h"

namespace noclobber {
namespace {

constexpr std::size_t kStepsOfTrips = 1024;
constexpr int kDeepestLoop = 3;

enum class LoopKind : std::uint8_t { none, map, scan, repeated };

LoopKind kind_of_loop(const Step& step) {
  if (step.op == "higher_order.map_impl" || step.op == "higher_order.map_impl.default") return LoopKind::map;
  if (step.op == "higher_order.scan" || step.op == "higher_order.scan.default") return LoopKind::scan;
  if (step.op == "higher_order.while_loop" || step.op == "higher_order.while_loop.default")
    return LoopKind::repeated;
  return LoopKind::none;
}

/// A loop with everything that its trips are given, in the outer graph.
struct TripsOf {
  const Graph* body = nullptr;
  std::vector<Arg> carried, items, more;
  std::int64_t trips = 0;
  bool clones = false;  // what is carried where no trip runs
};

/// Writes loops out as the interpreter runs them: bodies on the operands' own storages, results what the last
/// trip hands on, items of results in a storage of their own behind the last trip.
class Trips {
 public:
  Trips(const Case& value, const OpSet& ops, const Graph& top)
      : case_(value), ops_(ops), names_(names_beside(top)) {
    out_.name = top.name;
    out_.device = top.device;
    out_.output_keys = top.output_keys;
    out_.numbers = top.numbers;
    out_.bodies = top.bodies;
    out_.values = top.values;  // ids stay what they are
    out_.inputs = top.inputs;
    out_.outputs = top.outputs;
    out_.finals = top.finals;
  }

  /// Nothing where no loop is known, or the graph would grow too large.
  std::optional<Graph> run(const Graph& top) {
    bool any = false;
    for (const Step& step : top.steps) {
      const auto loop = known(top, step);
      any = any || loop.has_value();
      loop ? write_out(*loop, step) : keep(step);
      if (out_.steps.size() > kStepsOfTrips) return std::nullopt;
    }
    return any ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  std::uint32_t number() const { return static_cast<std::uint32_t>(out_.steps.size()); }

  void keep(const Step& step) {
    for (const ValueId id : step.results)
      if (id.valid()) out_.values[id.index].at = number();
    out_.steps.push_back(step);
  }

  static bool tensors(const Step& step, std::size_t k, std::vector<Arg>& out) {
    if (k >= step.args.size()) return true;
    if (step.args[k].kind != Arg::Kind::list) return false;
    out = step.args[k].list;
    return std::ranges::all_of(out, [](const Arg& a) { return a.kind == Arg::Kind::ref && a.ref.valid(); });
  }

  std::optional<TripsOf> known(const Graph& graph, const Step& step) const {
    const LoopKind kind = kind_of_loop(step);
    if (kind == LoopKind::none) return std::nullopt;
    TripsOf out;
    out.clones = clones_without_trips(step);
    const std::size_t body_at = kind == LoopKind::repeated ? 1 : 0,
                      first = kind == LoopKind::map ? 1 : body_at + 1;
    const bool plain = step.kwargs.empty() || (out.clones && step.kwargs.size() == 1);
    if (!plain || step.args.size() <= body_at || step.args[body_at].kind != Arg::Kind::graph ||
        step.args.size() > first + 3)
      return std::nullopt;
    out.body = find_body(case_, graph, step.args[body_at].text);
    std::size_t at = first;
    if (out.body == nullptr || (kind != LoopKind::map && !tensors(step, at++, out.carried)) ||
        (kind != LoopKind::repeated && !tensors(step, at++, out.items)) || !tensors(step, at++, out.more))
      return std::nullopt;
    if (at < step.args.size() || !fits(out, step, kind)) return std::nullopt;
    const auto trips = kind == LoopKind::repeated
                           ? known_trips(case_, ops_, graph, step, static_cast<std::int64_t>(kStepsOfTrips))
                           : items_in(graph, out);
    if (!trips) return std::nullopt;
    out.trips = *trips;
    const std::size_t each = out.body->steps.size() + out.items.size() + 1;
    return each * static_cast<std::size_t>(out.trips) <= kStepsOfTrips ? std::optional(out) : std::nullopt;
  }

  bool fits(const TripsOf& loop, const Step& step, LoopKind kind) const {
    const Graph& body = *loop.body;
    const std::size_t carried = loop.carried.size();
    const bool all_known = std::ranges::all_of(
        body.outputs, [](const Arg& a) { return a.kind == Arg::Kind::ref && a.ref.valid(); });
    return all_known && body.inputs.size() == carried + loop.items.size() + loop.more.size() &&
           body.finals.empty() && body.outputs.size() >= carried &&
           body.outputs.size() == step.results.size() &&
           (kind != LoopKind::repeated || body.outputs.size() == carried) &&
           !counts_in_storage(case_, body) &&
           std::ranges::none_of(body.inputs, [](const Input& i) { return i.kind == Input::Kind::constant; });
  }

  static std::optional<std::int64_t> items_in(const Graph& graph, const TripsOf& loop) {
    std::optional<std::int64_t> out;
    for (const Arg& item : loop.items) {
      const SharedType& type = graph.value(item.ref).type;
      if (!type || type->shape.empty() || !type->shape[0].is_constant()) return std::nullopt;
      const std::int64_t length = type->shape[0].constant();
      if (length <= 0 || (out && *out != length)) return std::nullopt;
      out = length;
    }
    return out;
  }

  Arg emit(const Step& of, const char* op, std::vector<Arg> args, const std::string& name) {
    const ValueId value(out_.values.size());
    out_.values.push_back({names_.fresh(name), Value::From::step, number(), 0, std::nullopt});
    Step& step = out_.steps.emplace_back();
    step.op = op;
    step.args = std::move(args);
    step.results = {value};
    step.loc = of.loc;
    return Arg::of(value);
  }

  static Arg placed(const Arg& arg, const std::vector<Arg>& places) {
    if (arg.kind == Arg::Kind::ref) return places[arg.ref.index];
    Arg out = arg;
    for (Arg& item : out.list) item = placed(item, places);
    return out;
  }

  void write_out(const TripsOf& loop, const Step& step) {
    std::vector<Arg> carried = loop.carried;
    std::vector<std::vector<Arg>> columns(loop.body->outputs.size() - carried.size());
    for (std::int64_t trip = 0; trip < loop.trips; ++trip) {
      std::vector<Arg> places(loop.body->values.size());
      std::size_t next = 0;
      const auto give = [&](const Arg& arg) { places[loop.body->inputs[next++].value.index] = arg; };
      for (const Arg& arg : carried) give(arg);
      for (const Arg& item : loop.items)
        give(emit(step, "aten.select.int", {item, Arg::of(SymExpr(0)), Arg::of(SymExpr(trip))},
                  loop.body->name + "/item" + std::to_string(trip)));
      for (const Arg& arg : loop.more) give(arg);
      for (const Step& inner : loop.body->steps) copy(*loop.body, inner, places, trip);
      for (std::size_t k = 0; k < carried.size(); ++k) carried[k] = placed(loop.body->outputs[k], places);
      for (std::size_t k = 0; k < columns.size(); ++k)
        columns[k].push_back(placed(loop.body->outputs[carried.size() + k], places));
    }
    for (std::size_t k = 0; k < step.results.size(); ++k) {
      if (!step.results[k].valid()) continue;
      const bool is_carried = k < carried.size();
      std::vector<Arg> args{is_carried ? carried[k] : Arg::of(std::move(columns[k - carried.size()]))};
      if (!is_carried) args.push_back(Arg::of(SymExpr(0)));
      give_name(step, k,
                !is_carried                      ? "aten.stack.default"
                : loop.trips == 0 && loop.clones ? "aten.clone.default"
                                                 : "aten.alias.default",
                std::move(args));
    }
  }

  /// Result k of the loop.
  void give_name(const Step& of, std::size_t k, const char* op, std::vector<Arg> args) {
    Value& value = out_.values[of.results[k].index];
    value.at = number();
    value.result = 0;
    Step& step = out_.steps.emplace_back();
    step.op = op;
    step.args = std::move(args);
    step.results = {of.results[k]};
    step.loc = of.loc;
  }

  void copy(const Graph& body, const Step& step, std::vector<Arg>& places, std::int64_t trip) {
    Step out = step;
    const auto take = [&](Arg& arg) {
      arg = placed(arg, places);
      take_bodies(case_, body, body.name + "/", arg, out_);
    };
    for (Arg& arg : out.args) take(arg);
    for (auto& [name, arg] : out.kwargs) take(arg);
    out.after.clear();
    for (std::size_t k = 0; k < out.results.size(); ++k) {
      if (!step.results[k].valid()) continue;
      const Value& value = body.value(step.results[k]);
      const ValueId id(out_.values.size());
      out_.values.push_back({names_.fresh(body.name + "/" + value.name + "." + std::to_string(trip)),
                             Value::From::step, number(), static_cast<std::uint32_t>(k), value.type});
      out.results[k] = id;
      places[step.results[k].index] = Arg::of(id);
    }
    out_.steps.push_back(std::move(out));
  }

  const Case& case_;
  const OpSet& ops_;
  Graph out_;
  UniqueNames names_;
};

/// All loops of known trips, those that stand in others as well. False: there are none.
bool write_out(const Case& value, const OpSet& ops, Graph& graph) {
  bool any = false;
  for (int depth = 0; depth < kDeepestLoop; ++depth) {
    auto written = Trips(value, ops, graph).run(graph);
    if (!written) break;
    graph = *std::move(written);
    any = true;
  }
  return any;
}

}  // namespace

std::optional<Case> with_trips_written_out(const Case& value) {
  const auto ops = make_op_set(value.ops);
  if (!ops || !value.before || value.plan) return std::nullopt;
  Case out = value;
  const bool before = write_out(value, *ops, *out.before), after = write_out(value, *ops, out.after);
  return before || after ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace noclobber
