// Which overload of an operator a call means that names none, and what it gives for an argument.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "src/ops/schema.h"

namespace noclobber {

/// The first overload of "aten.add" in the vocabulary's order whose arguments may be the step's. One that
/// fills `out` only where the step gives it.
std::optional<std::string> first_overload(std::string_view op, const Step& step);

/// The overload that PyTorch calls for the operator "aten.add" with these arguments: the only one that takes
/// them, or "default" among several. "default" as well of an operator that the vocabulary does not have.
/// Nothing: what PyTorch would choose depends on the order of registration, or nothing takes the arguments.
std::optional<std::string> called_overload(const std::string& op, const Step& step);

/// What a step is given for the argument of that name, by keyword or by place; nullptr: nothing.
const Arg* argument_given(const Step& step, const Schema& schema, std::string_view name);

}  // namespace noclobber
