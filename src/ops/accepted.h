// The argument types and numbers with which PyTorch was seen to accept each operator, recorded by
// tools/accepted_types.py.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ops/schema.h"

namespace noclobber {

/// A short form of what a call is given: a letter for each tensor, or number in the place of one (b, u, i, h,
/// f, c: boolean, uint8, signed, half, floating, complex; n, m, r, t: a whole number, one that is negative or
/// symbolic, a real number, a boolean; - for None). A list is in brackets, with each letter once. ~ follows
/// if one letter stands for two dtypes, and behind a semicolon are the other numbers, dtypes and texts:
/// "f[fi]~;n'mean'". `type_of` gives the dtype of a tensor. Keyword-only written arguments (out=) are left
/// out. Empty if no tensor is given, or one of unknown dtype.
std::optional<std::string> call_form(const Schema& schema, const std::vector<Arg>& arguments,
                                     const std::function<Dtype(const Arg&)>& type_of);

/// True if PyTorch was seen to accept calls of `overload`, which writes nothing, in that form, and to reject
/// none.
bool seen_accepted(std::string_view overload, std::string_view form);

}  // namespace noclobber
