// The written arguments of a hashed call, and the interval of drawn numbers.
#include <algorithm>

#include "src/interp/run_hash.h"
#include "src/interp/run_machine.h"

namespace noclobber {
namespace {

/// Index of the result that an argument is returned as. Empty if it is not written, or not returned.
std::optional<std::size_t> returned_at(const Schema& schema, const SchemaSlot& slot) {
  for (std::size_t r = 0; r < schema.returns.size(); ++r)
    if (slot.written && schema.returns[r].written && schema.returns[r].alias == slot.alias) return r;
  return std::nullopt;
}

}  // namespace

std::vector<HashTarget> targets_of(const Step& step, const Invocation& invocation) {
  const Schema& schema = *invocation.schema;
  const bool list = schema.returns.size() == 1 && schema.returns[0].type == SchemaSlot::Type::tensor_list;
  std::size_t next = list ? step.results.size() : schema.returns.size(), from = 0;
  std::vector<HashTarget> out;
  for (std::size_t i = 0; i < invocation.live.size() && from < invocation.targets.size(); ++i) {
    const SchemaSlot& slot = schema.arguments[std::min(i, schema.arguments.size() - 1)];
    if (!slot.written) continue;
    std::vector<Array> own;
    flatten_tensors(invocation.live[i], own);
    const auto at = returned_at(schema, slot);
    for (std::size_t k = 0; k < own.size() && from < invocation.targets.size(); ++k)
      out.push_back({invocation.targets[from++], at ? *at + k : next++});
  }
  for (const std::size_t k : invocation.silent) out.push_back({invocation.live[k].tensor, next++});
  return out;
}

std::optional<std::pair<double, double>> drawn_within(const std::string& own, const Invocation& invocation) {
  const std::string_view op = base_name(own);
  const auto number = [&](std::string_view name) -> std::optional<double> {
    for (std::size_t k = 0; k < std::min(invocation.args.size(), invocation.schema->arguments.size()); ++k)
      if (invocation.schema->arguments[k].name == name)
        if (const auto given = invocation.args[k].number()) return given->as_real();
    return std::nullopt;
  };
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, op) != names.end();
  };
  if (is({"aten.rand", "aten.rand_like"})) return std::pair(0.0, 1.0);
  if (is({"aten.uniform", "prims._uniform_helper"}))
    return std::pair(number("from").value_or(number("low").value_or(0)),
                     number("to").value_or(number("high").value_or(1)));
  if (is({"aten.bernoulli"})) return std::pair(0.0, 1.999);
  if (is({"aten.randint", "aten.randint_like"}) && number("high"))
    return std::pair(number("low").value_or(0), *number("high"));
  if (is({"aten.exponential", "aten.log_normal", "aten.poisson", "aten.binomial"}))
    return std::pair(0.0, 8.0);
  if (is({"aten.geometric"})) return std::pair(1.0, 8.0);
  return std::nullopt;
}

}  // namespace noclobber
