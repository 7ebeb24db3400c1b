#include "src/ops/trips.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace noclobber {

bool take_tensors(const Step& step, std::size_t k, std::vector<Arg>& out) {
  if (k >= step.args.size()) return true;
  if (step.args[k].kind != Arg::Kind::list) return false;
  out = step.args[k].list;
  return std::ranges::all_of(out, [](const Arg& a) { return a.kind == Arg::Kind::ref && a.ref.valid(); });
}

std::optional<std::int64_t> length_of_items(const Graph& graph, const std::vector<Arg>& items) {
  std::optional<std::int64_t> out;
  for (const Arg& item : items) {
    const SharedType& type = graph.value(item.ref).type;
    if (!type || type->shape.empty() || !type->shape[0].is_constant()) return std::nullopt;
    const std::int64_t length = type->shape[0].constant();
    if (length <= 0 || (out && *out != length)) return std::nullopt;
    out = length;
  }
  return out;
}

TripsWriter::TripsWriter(const Case& value, const Graph& top) : case_(value), names_(names_beside(top)) {
  written.name = top.name;
  written.bodies = top.bodies;
  written.values = top.values;
  written.inputs = top.inputs;
  written.outputs = top.outputs;
  written.finals = top.finals;
}

void TripsWriter::keep(const Step& step) {
  for (const ValueId id : step.results)
    if (id.valid()) written.values[id.index].at = number();
  written.steps.push_back(step);
}

Arg TripsWriter::emit(const Step& of, std::string op, std::vector<Arg> args, const std::string& name) {
  const ValueId value(written.values.size());
  written.values.push_back({names_.fresh(name), Value::From::step, number(), 0, std::nullopt});
  Step& step = written.steps.emplace_back();
  step.op = std::move(op);
  step.args = std::move(args);
  step.results = {value};
  step.source = StepSource{of.source->loc, ""};
  return Arg::of(value);
}

Arg TripsWriter::placed(const Arg& arg, const Standing& places) {
  if (arg.kind == Arg::Kind::ref) return places[arg.ref.index];
  Arg moved = arg;
  for (Arg& item : moved.list.items()) item = placed(item, places);
  return moved;
}

Step& TripsWriter::copy(const Graph& body, const Step& step, Standing& places, std::int64_t trip) {
  Step made = step;
  const auto take = [&](Arg& arg) {
    arg = placed(arg, places);
    take_bodies(case_, body, body.name + "/", arg, written);
  };
  for (Arg& arg : made.args) take(arg);
  for (auto& [name, arg] : made.kwargs.items()) take(arg);
  for (std::size_t k = 0; k < made.results.size(); ++k) {
    if (!step.results[k].valid()) continue;
    const Value& value = body.value(step.results[k]);
    const ValueId id(written.values.size());
    written.values.push_back({names_.fresh(body.name + "/" + value.name + "." + std::to_string(trip)),
                              Value::From::step, number(), static_cast<std::uint32_t>(k), value.type});
    made.results[k] = id;
    places[step.results[k].index] = Arg::of(id);
  }
  return written.steps.emplace_back(std::move(made));
}

Step& TripsWriter::name_result(const Step& loop, std::size_t k, std::string op, std::vector<Arg> args) {
  Value& value = written.values[loop.results[k].index];
  value.at = number();
  value.result = 0;
  Step& step = written.steps.emplace_back();
  step.op = std::move(op);
  step.args = std::move(args);
  step.results = {loop.results[k]};
  step.source = StepSource{loop.source->loc, ""};
  return step;
}

}  // namespace noclobber
