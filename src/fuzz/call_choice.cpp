#include "src/fuzz/call_choice.h"

#include <map>

#include "src/ops/schema.h"

namespace noclobber::fuzz {
namespace {

constexpr std::string_view kCalls[] = {
#include "src/fuzz/calls.inc"
#include "src/fuzz/calls_more.inc"
};

const std::vector<Json>& examples() {
  static const std::vector<Json> all = [] {
    std::vector<Json> out;
    for (const std::string_view line : kCalls) out.push_back(Json::parse(line));
    return out;
  }();
  return all;
}

std::string_view op_of(const Json& example) { return example["op"].get_ref<const std::string&>(); }

/// All rows that describe an operator: its own, and that of its functional form.
std::vector<const OpRow*> rows_of(std::string_view op) {
  std::vector<const OpRow*> out;
  const std::string functional = functional_op(op);
  for (const std::string_view name : {base_name(op), base_name(functional)})
    if (const OpRow* row = find_row(name); row != nullptr && (out.empty() || out[0] != row))
      out.push_back(row);
  return out;
}

/// Operators by the row that describes them. A random choice takes a row first, so that each row is covered.
struct Callable {
  std::vector<std::string_view> all;
  std::vector<std::vector<std::string_view>> rows;
  std::map<const OpRow*, std::vector<std::string_view>> of;
  std::map<const OpRow*, std::vector<const Json*>> examples;
};

const Callable& callable() {
  static const Callable out = [] {
    Callable found;
    for (const std::string_view op : vocabulary()) {
      const Schema* schema = find_schema(op);
      if (schema == nullptr || schema->ns == "higher_order") continue;  // takes graphs: see branched()
      found.all.push_back(op);
      for (const OpRow* row : rows_of(op)) found.of[row].push_back(op);
    }
    for (const Json& example : examples())
      for (const OpRow* row : rows_of(op_of(example))) found.examples[row].push_back(&example);
    for (const OpRow& row : op_rows())
      if (const auto at = found.of.find(&row); at != found.of.end()) found.rows.push_back(at->second);
    return found;
  }();
  return out;
}

}  // namespace

Chosen any_call(Random& random) {
  const Callable& ops = callable();
  if (random.chance(40)) {
    const auto at = random.place_in(examples());
    return {op_of(examples()[at]), &examples()[at]};
  }
  return {random.one_of(random.chance(70) ? random.one_of(ops.rows) : ops.all), nullptr};
}

std::optional<Chosen> call_of_row(const OpRow& row, Random& random) {
  const Callable& ops = callable();
  const auto known = ops.examples.find(&row);
  if (known != ops.examples.end() && random.chance(70)) {
    const Json* example = random.one_of(known->second);
    return Chosen{op_of(*example), example};
  }
  const auto named = ops.of.find(&row);
  return named != ops.of.end() ? std::optional(Chosen{random.one_of(named->second), nullptr}) : std::nullopt;
}

std::vector<Type> said_types(const Json& example) {
  std::vector<Type> out;
  if (!example.contains("results")) return out;
  for (const Json& result : example["results"]) {
    out.emplace_back();
    out.back().dtype = parse_torch_dtype(result["dtype"].get<std::string>()).value_or(Dtype::f32);
    for (const Json& extent : result["shape"]) out.back().shape.emplace_back(extent.get<std::int64_t>());
  }
  return out;
}

}  // namespace noclobber::fuzz
