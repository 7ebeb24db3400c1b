// Calls of one operator that name fewer of its results than others.
#pragma once
#include <string>

#include "src/graph/case.h"

namespace noclobber {

/// Does one schema only add results, all plain tensors, to the other, whose arguments are the same?
/// ("m(Tensor a) -> (Tensor)" and "m(Tensor a) -> (Tensor, Tensor)".) A pass that drops what nobody uses
/// leaves such calls of delegates.
bool only_adds_results(const std::string& one, const std::string& other);

/// Declares `op` by the longer schema, and gives calls that lack results those that other calls have, of the
/// same types. Nobody uses them. What is assumed is written into the case.
void complete_calls(Case& value, const std::string& op, const std::string& schema);

}  // namespace noclobber
