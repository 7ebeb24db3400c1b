// Calls of one operator that name fewer of its results than other calls.
#pragma once
#include <string>

#include "src/graph/case.h"

namespace noclobber {

/// True if the schemas have the same arguments and one only appends results, all plain tensors ("m(Tensor a)
/// -> (Tensor)" and "m(Tensor a) -> (Tensor, Tensor)"). A pass that drops unused results leaves such calls of
/// delegates.
bool only_adds_results(const std::string& one, const std::string& other);

/// Declares `op` by the longer schema, and gives calls that lack results unused ones, of the types that other
/// calls state. Records the assumption in the case.
void complete_calls(Case& value, const std::string& op, const std::string& schema);

}  // namespace noclobber
