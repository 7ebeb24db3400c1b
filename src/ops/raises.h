// Calls that may raise an error although shapes and types are right: a division by zero, an index out of
// range, a matrix without an inverse.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "src/ops/schema.h"

namespace noclobber {

/// The positions of the arguments whose contents decide whether the call raises; empty if no contents matter.
/// `op` is the functional operator without overload. Random operators have no entry: their sequence is
/// compared anyway.
std::optional<std::vector<std::size_t>> raises_over(std::string_view op, const Schema& schema,
                                                    const std::vector<Arg>& arguments);

/// True if the call raises for a zero divisor when all its operands are integers.
bool divides_whole(std::string_view op, const Schema& schema, const std::vector<Arg>& arguments);

/// True if the operator takes tensors of several devices in one call, whatever the devices are.
bool takes_any_device(std::string_view op);

}  // namespace noclobber
