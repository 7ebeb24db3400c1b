// Chooses the operator of the next call, and knows recorded calls of it.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "src/fuzz/random.h"
#include "src/graph/case.h"
#include "src/ops/row.h"

namespace noclobber::fuzz {

using Json = nlohmann::json;

/// `example`: a line of calls.inc or calls_more.inc; nullptr: arguments are made by the schema.
struct Chosen {
  std::string_view op;
  const Json* example = nullptr;
};

Chosen any_call(Random& random);
/// A call of an operator that the row describes; empty if the vocabulary has none.
std::optional<Chosen> call_of_row(const OpRow& row, Random& random);
/// The `results` of an example: the result types, if neither a rule nor a run gives them.
std::vector<Type> said_types(const Json& example);

}  // namespace noclobber::fuzz
