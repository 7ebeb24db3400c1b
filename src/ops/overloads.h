// Overload resolution for calls without an overload name, and lookup of their arguments.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "src/ops/schema.h"

namespace noclobber {

/// The first overload of "aten.add", in the order of the vocabulary, that accepts the arguments of the step.
/// An overload that fills `out` counts only if the step gives it. Empty if there is none.
std::optional<std::string> first_overload(std::string_view op, const Step& step);

/// The overload that PyTorch calls for the operator "aten.add" with these arguments: the only one that
/// accepts them, or "default" if it is among several. "default" also for an operator outside of the
/// vocabulary. Empty if the choice depends on PyTorch's order of registration, or if no overload accepts the
/// arguments.
std::optional<std::string> called_overload(const std::string& op, const Step& step);

/// The value of the argument of that name, given by keyword or by position; nullptr if it is not given.
const Arg* argument_given(const Step& step, const Schema& schema, std::string_view name);

}  // namespace noclobber
