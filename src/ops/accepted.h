// Which types PyTorch was seen to take each operator with, and with which numbers: tools/accepted_types.py
// asked it.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ops/schema.h"

namespace noclobber {

/// What a call is given, in short: a letter for each tensor or number in the place of one (b, u, i, h, f, c:
/// boolean, uint8, signed, half, floating, complex; n, m, r, t: a whole number, a negative one, a real one, a
/// boolean; - for nothing), each once in brackets for a list, ~ where a letter stands for two types, and
/// behind a semicolon what numbers, types and texts there are besides: "f[fi]~;n'mean'". `type_of`
/// tells the type of a tensor. What is written by out= is left out. Nothing: no tensor is given, or one of a
/// type that is not known.
std::optional<std::string> call_form(const Schema& schema, const std::vector<Arg>& arguments,
                                     const std::function<Dtype(const Arg&)>& type_of);

/// Was PyTorch seen to take calls of `overload`, which writes nothing, in that form, and to refuse none?
bool seen_accepted(std::string_view overload, std::string_view form);

}  // namespace noclobber
