#include "src/ops/whole_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "src/base/unique_names.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

/// What the calls of an operator state about one of its results.
struct Told {
  SharedType type;
  bool twice = false;  // calls state different types
};

void collect_types(const Graph& graph, const std::string& op, std::vector<Told>& told) {
  for (const Step& step : graph.steps) {
    for (std::size_t k = 0; step.op == op && k < std::min(step.results.size(), told.size()); ++k) {
      const auto type = step.results[k].valid() ? graph.value(step.results[k]).type : SharedType();
      told[k].twice = told[k].twice || (type && told[k].type && !(type == told[k].type));
      if (type) told[k].type = type;
    }
  }
}

void complete(Graph& graph, const std::string& op, const std::vector<Told>& told) {
  std::set<std::string> taken;
  for (const Value& value : graph.values) taken.insert(value.name);
  UniqueNames names(std::move(taken));
  for (std::uint32_t at = 0; at < graph.steps.size(); ++at) {
    Step& step = graph.steps[at];
    if (step.op != op) continue;
    for (std::size_t k = 0; k < step.results.size(); ++k)
      if (told[k].twice && step.results[k].valid()) graph.values[step.results[k].index].type = SharedType();
    for (auto k = static_cast<std::uint32_t>(step.results.size()); k < told.size(); ++k) {
      const ValueId more{static_cast<std::uint32_t>(graph.values.size())};
      const std::string name = names.fresh("kept" + std::to_string(k));
      graph.values.push_back({name, Value::From::step, at, k, told[k].twice ? SharedType() : told[k].type});
      step.results.push_back(more);
    }
  }
}

}  // namespace

bool only_adds_results(const std::string& one, const std::string& other) {
  auto a = parse_schema(one), b = parse_schema(other);
  if (!a || !b || a->writes() || b->writes()) return false;
  if (a->returns.size() > b->returns.size()) std::swap(a, b);
  const auto plain = [](const SchemaSlot& slot) { return slot.type_text == "Tensor"; };
  if (a->returns.empty() || !std::ranges::all_of(b->returns, plain)) return false;
  b->returns.resize(a->returns.size());
  return schema_text(*a) == schema_text(*b);
}

void complete_calls(Case& value, const std::string& op, const std::string& schema) {
  for (OpDecl& known : value.ops)
    if (parse_schema(known.schema)->op == op) known.schema = schema;
  std::vector<Graph*> graphs = {&value.after};
  if (value.before) graphs.push_back(&*value.before);
  for (auto& [name, body] : value.bodies) graphs.push_back(&body);
  std::vector<Told> told(parse_schema(schema)->returns.size());
  for (const Graph* graph : graphs) collect_types(*graph, op, told);
  for (Graph* graph : graphs) complete(*graph, op, told);
  value.assumed.push_back("calls of " + op + " that give fewer results than others are the same calls");
}

}  // namespace noclobber
