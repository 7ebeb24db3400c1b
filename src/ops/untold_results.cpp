#include "src/ops/untold_results.h"

#include <algorithm>
#include <map>
#include <optional>

#include "src/graph/value_names.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

/// The calls of each operator outside of the vocabulary: the table knows the result types of the others.
std::map<std::string, std::vector<std::uint32_t>> own_calls(const Graph& graph) {
  std::map<std::string, std::vector<std::uint32_t>> out;
  for (std::uint32_t at = 0; at < graph.steps.size(); ++at)
    if (const std::string& op = graph.steps[at].op;
        find_schema(op) == nullptr && !op.starts_with("higher_order."))
      out[op].push_back(at);
  return out;
}

SharedType type_of(const Graph& graph, const Step& step, std::size_t result) {
  const bool named = result < step.results.size() && step.results[result].valid();
  return named ? graph.value(step.results[result]).type : SharedType();
}

/// Gives the results of one graph's calls the types that the other graph states.
class Describer {
 public:
  explicit Describer(Graph& graph) : graph_(graph) {}

  void describe(std::uint32_t at, const Graph& other, std::uint32_t by) {
    for (std::size_t k = 0; k < other.steps[by].results.size(); ++k) {
      const SharedType type = type_of(other, other.steps[by], k);
      Step& step = graph_.steps[at];
      if (!type || (k < step.results.size() && step.results[k].valid())) continue;
      if (!names_) names_ = names_beside(graph_);
      step.results.resize(std::max(step.results.size(), k + 1));
      step.results[k] = ValueId(graph_.values.size());
      graph_.values.push_back(
          {names_->fresh("unread"), Value::From::step, at, static_cast<std::uint32_t>(k), type});
    }
  }

 private:
  Graph& graph_;
  std::optional<UniqueNames> names_;  // made on first use
};

}  // namespace

void describe_untold_results(Case& value) {
  if (!value.before) return;
  const auto before = own_calls(*value.before), after = own_calls(value.after);
  Describer of_before(*value.before), of_after(value.after);
  for (const auto& [op, calls] : before) {
    const auto others = after.find(op);
    if (others == after.end() || others->second.size() != calls.size()) continue;
    for (std::size_t k = 0; k < calls.size(); ++k) {
      of_before.describe(calls[k], value.after, others->second[k]);
      of_after.describe(others->second[k], *value.before, calls[k]);
    }
  }
}

}  // namespace noclobber
