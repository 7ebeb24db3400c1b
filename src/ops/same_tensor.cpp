#include "src/ops/same_tensor.h"

#include <algorithm>

namespace noclobber {
namespace {

/// The argument that the operator writes and returns as this result; invalid if there is none.
ValueId returned(const Schema& schema, const SchemaSlot& result, const std::vector<Arg>& arguments) {
  if (!result.written || result.type != SchemaSlot::Type::tensor) return {};
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (schema.arguments[k].written && schema.arguments[k].alias == result.alias) return arguments[k].ref;
  return {};
}

}  // namespace

std::vector<ValueId> first_names(const Graph& graph, const OpSet& ops) {
  std::vector<ValueId> out(graph.values.size());
  for (std::uint32_t k = 0; k < out.size(); ++k) out[k] = ValueId(k);
  for (const Step& step : graph.steps) {
    const Schema* schema = ops.find(step.op);
    if (schema == nullptr || !schema->writes()) continue;
    const auto arguments = bind_arguments(*schema, step);
    if (!arguments) continue;
    for (std::size_t k = 0; k < std::min(schema->returns.size(), step.results.size()); ++k) {
      const ValueId of = returned(*schema, schema->returns[k], *arguments);
      if (of.valid() && step.results[k].valid()) out[step.results[k].index] = out[of.index];
    }
  }
  return out;
}

}  // namespace noclobber
