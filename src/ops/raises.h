// Which calls may raise an error although shapes and types are right: dividing by zero, an index out of
// range, a matrix without an inverse.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "src/ops/schema.h"

namespace noclobber {

/// The arguments whose contents tell whether it raises; nothing where none do. `op` is the functional
/// operator without overload. Random operators are not asked for: their sequence is part of what is compared.
std::optional<std::vector<std::size_t>> raises_over(std::string_view op, const Schema& schema,
                                                    const std::vector<Arg>& arguments);

/// Does it raise for the number zero, where all that it is given are whole numbers?
bool divides_whole(std::string_view op, const Schema& schema, const std::vector<Arg>& arguments);

/// Does it take tensors of several devices, whatever they are?
bool takes_any_device(std::string_view op);

}  // namespace noclobber
