// Which operator is called next, and the texts of calls that are known of it.
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

/// `example`: a line of calls.inc or calls_more.inc; nullptr: arguments by the schema.
struct Chosen {
  std::string_view op;
  const Json* example = nullptr;
};

Chosen any_call(Random& random);
/// A call that the row is about; nothing where the vocabulary has no operator for it.
std::optional<Chosen> call_of_row(const OpRow& row, Random& random);
/// `results` of an example: what the call gives, where no rule and no run tells it.
std::vector<Type> said_types(const Json& example);

}  // namespace noclobber::fuzz
