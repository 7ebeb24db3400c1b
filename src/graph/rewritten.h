// Rewriting a graph step by step: new steps take the place of the old ones.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/graph/case.h"
#include "src/graph/value_names.h"

namespace noclobber {

/// Takes the steps out of the graph. The appended steps become its new steps, in order.
class GraphRewriter {
 public:
  explicit GraphRewriter(Graph& graph)
      : graph_(graph), old_(std::exchange(graph.steps, {})), names_(names_beside(graph)) {}
  /// The steps that the graph had.
  std::vector<Step> take_old() { return std::move(old_); }
  const Graph& graph() const { return graph_; }

  void append(Step step) {
    for (const ValueId result : step.results)
      if (result.valid()) graph_.values[result.index].at = static_cast<std::uint32_t>(graph_.steps.size());
    graph_.steps.push_back(std::move(step));
  }
  /// The step that was appended last.
  Step& last() { return graph_.steps.back(); }
  /// Appends a copy of `like` with another operator and arguments, no kwargs and one new result of that type.
  ValueId add(const Step& like, std::string_view op, std::vector<Arg> args, Type type,
              const std::string& name) {
    Value value;
    value.name = names_.fresh(name);
    value.from = Value::From::step;
    value.type = std::move(type);
    Step step = like;
    step.op = op;
    step.args = std::move(args);
    step.kwargs.clear();
    step.results = {ValueId(graph_.values.size())};
    graph_.values.push_back(std::move(value));
    const ValueId result = step.results[0];
    append(std::move(step));
    return result;
  }

 private:
  Graph& graph_;
  std::vector<Step> old_;
  UniqueNames names_;
};

}  // namespace noclobber
