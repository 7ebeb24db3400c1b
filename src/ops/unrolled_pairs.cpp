#include <algorithm>
#include <optional>

#include "src/ops/decl.h"
#include "src/ops/known_trips.h"
#include "src/ops/trips.h"
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

/// A loop, with the operands of its trips in the outer graph.
struct TripsOf {
  const Graph* body = nullptr;
  std::vector<Arg> carried, items, more;
  std::int64_t trips = 0;
  bool clones = false;  // a loop without trips returns clones of what it carries
};

/// Unrolls loops as the interpreter runs them: bodies use the operands' own storages, carried results are
/// those of the last trip, and stacked results get a storage of their own after the last trip.
class Trips : TripsWriter {
 public:
  Trips(const Case& value, const OpSet& ops, const Graph& top)
      : TripsWriter(value, top), case_(value), ops_(ops) {
    written.device = top.device;
    written.output_keys = top.output_keys;
    written.numbers = top.numbers;
  }

  /// Empty if no loop has a known trip count, or if the graph would grow too large.
  std::optional<Graph> run(const Graph& top) {
    bool any = false;
    for (const Step& step : top.steps) {
      const auto loop = known(top, step);
      any = any || loop.has_value();
      loop ? write_out(*loop, step) : keep(step);
      if (written.steps.size() > kStepsOfTrips) return std::nullopt;
    }
    return any ? std::optional(std::move(written)) : std::nullopt;
  }

 private:
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
    if (out.body == nullptr || (kind != LoopKind::map && !take_tensors(step, at++, out.carried)) ||
        (kind != LoopKind::repeated && !take_tensors(step, at++, out.items)) ||
        !take_tensors(step, at++, out.more))
      return std::nullopt;
    if (at < step.args.size() || !fits(out, step, kind)) return std::nullopt;
    const auto trips = kind == LoopKind::repeated
                           ? known_trips(case_, ops_, graph, step, static_cast<std::int64_t>(kStepsOfTrips))
                           : length_of_items(graph, out.items);
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

  void write_out(const TripsOf& loop, const Step& step) {
    std::vector<Arg> carried = loop.carried;
    std::vector<std::vector<Arg>> columns(loop.body->outputs.size() - carried.size());
    for (std::int64_t trip = 0; trip < loop.trips; ++trip) {
      Standing places(loop.body->values.size());
      std::size_t next = 0;
      const auto give = [&](const Arg& arg) { places[loop.body->inputs[next++].value.index] = arg; };
      for (const Arg& arg : carried) give(arg);
      for (const Arg& item : loop.items)
        give(emit(step, "aten.select.int", {item, Arg::of(SymExpr(0)), Arg::of(SymExpr(trip))},
                  loop.body->name + "/item" + std::to_string(trip)));
      for (const Arg& arg : loop.more) give(arg);
      for (const Step& inner : loop.body->steps) {
        Step& made = copy(*loop.body, inner, places, trip);
        if (!made.extras->after.empty()) made.extras.edit().after.clear();
      }
      for (std::size_t k = 0; k < carried.size(); ++k) carried[k] = placed(loop.body->outputs[k], places);
      for (std::size_t k = 0; k < columns.size(); ++k)
        columns[k].push_back(placed(loop.body->outputs[carried.size() + k], places));
    }
    for (std::size_t k = 0; k < step.results.size(); ++k) {
      if (!step.results[k].valid()) continue;
      const bool is_carried = k < carried.size();
      std::vector<Arg> args{is_carried ? carried[k] : Arg::of(std::move(columns[k - carried.size()]))};
      if (!is_carried) args.push_back(Arg::of(SymExpr(0)));
      name_result(step, k,
                  !is_carried                      ? "aten.stack.default"
                  : loop.trips == 0 && loop.clones ? "aten.clone.default"
                                                   : "aten.alias.default",
                  std::move(args));
    }
  }

  const Case& case_;
  const OpSet& ops_;
};

/// Unrolls all loops of known trip count, nested ones too. False if there are none.
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
