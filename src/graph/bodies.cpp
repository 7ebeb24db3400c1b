#include "src/graph/bodies.h"

#include <algorithm>

namespace noclobber {

namespace {
bool names_body(const Arg& arg) {
  return arg.kind == Arg::Kind::graph || std::ranges::any_of(arg.list, names_body);
}

void collect(const Arg& arg, const std::string& place,
             std::vector<std::pair<std::string, std::string>>& out) {
  if (arg.kind == Arg::Kind::graph) out.emplace_back(place, arg.text);
  for (std::size_t k = 0; k < arg.list.size(); ++k)
    collect(arg.list[k], place + "." + std::to_string(k), out);
}
}  // namespace

const Graph* find_body(const Case& value, const Graph& graph, const std::string& name) {
  for (const auto* bodies : {&graph.bodies, &value.bodies})
    if (const auto at = bodies->find(name); at != bodies->end()) return &at->second;
  return nullptr;
}

const Graph* find_body(const Case& value, const Graph& graph, const Graph& outer, const std::string& name) {
  return find_body(value, graph.bodies.contains(name) ? graph : outer, name);
}

bool has_bodies(const Step& step) {
  return std::ranges::any_of(step.args, names_body) ||
         std::ranges::any_of(step.kwargs, [](const auto& entry) { return names_body(entry.second); });
}

bool gives_number(const Arg& output) {
  return output.kind == Arg::Kind::sym || output.kind == Arg::Kind::real || output.kind == Arg::Kind::boolean;
}

std::vector<std::pair<std::string, std::string>> bodies_given(const Step& step) {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t k = 0; k < step.args.size(); ++k) collect(step.args[k], std::to_string(k), out);
  for (const auto& [name, arg] : step.kwargs) collect(arg, name, out);
  return out;
}

static constexpr std::string_view kWithoutTrips = "without_trips", kClone = "clone";

void clone_without_trips(Step& step) {
  if (step.op.starts_with("higher_order.while_loop") && !clones_without_trips(step))
    step.kwargs.emplace_back(kWithoutTrips, Arg::of_text(std::string(kClone)));
}

bool clones_without_trips(const Step& step) {
  return std::ranges::any_of(step.kwargs, [](const auto& kwarg) {
    return kwarg.first == kWithoutTrips && kwarg.second.text == kClone;
  });
}

void take_bodies(const Case& value, const Graph& from, const std::string& prefix, Arg& arg, Graph& into) {
  for (Arg& item : arg.list) take_bodies(value, from, prefix, item, into);
  if (arg.kind != Arg::Kind::graph) return;
  const Graph* known = find_body(value, from, into, arg.text);
  if (known == nullptr) return;
  Graph body = *known;
  body.bodies.insert(from.bodies.begin(), from.bodies.end());
  arg.text = prefix + arg.text;
  into.bodies.insert_or_assign(arg.text, std::move(body));
}

}  // namespace noclobber
