#include "src/graph/bodies.h"

#include <algorithm>
#include <set>

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

bool counts_in_storage(const Step& step) {
  for (const char* part : {"as_strided", "_reshape_alias", "resize", ".set_", "reinterpret_tensor"})
    if (step.op->find(part) != std::string::npos) return true;
  return false;
}

namespace {
bool counts(const Case& value, const Graph& graph, std::set<const Graph*>& seen) {
  if (!seen.insert(&graph).second) return false;
  return std::ranges::any_of(graph.steps, [&](const Step& step) {
    if (counts_in_storage(step)) return true;
    return std::ranges::any_of(bodies_given(step), [&](const auto& given) {
      const Graph* body = find_body(value, graph, given.second);
      return body != nullptr && counts(value, *body, seen);
    });
  });
}
}  // namespace

bool counts_in_storage(const Case& value, const Graph& graph) {
  std::set<const Graph*> seen;
  return counts(value, graph, seen);
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
  if (step.op->starts_with("higher_order.while_loop") && !clones_without_trips(step))
    step.kwargs.edit().emplace_back(kWithoutTrips, Arg::of_text(std::string(kClone)));
}

bool clones_without_trips(const Step& step) {
  return std::ranges::any_of(step.kwargs, [](const auto& kwarg) {
    return kwarg.first == kWithoutTrips && kwarg.second.text == kClone;
  });
}

void take_bodies(const Case& value, const Graph& from, const std::string& prefix, Arg& arg, Graph& into) {
  for (Arg& item : arg.list.items()) take_bodies(value, from, prefix, item, into);
  if (arg.kind != Arg::Kind::graph) return;
  const Graph* known = find_body(value, from, into, arg.text);
  if (known == nullptr) return;
  Graph body = *known;
  body.bodies.insert(from.bodies.begin(), from.bodies.end());
  arg.text = prefix + arg.text;
  into.bodies.insert_or_assign(arg.text, std::move(body));
}

}  // namespace noclobber
