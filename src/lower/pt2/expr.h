// Scalars in exported programs: `Add(Integer(2), Mul(Integer(-1), Symbol('u1', integer=True)))` as sympy's
// srepr prints them, or the older `2 - u1`.
#pragma once
#include <string_view>

#include "src/base/result.h"
#include "src/graph/case.h"

namespace noclobber {

/// Parses an integer expression, a number, a boolean or a relation, as fx_scalar does. error: `where` is
/// "column N".
Result<Arg> parse_pt2_scalar(std::string_view text);

}  // namespace noclobber
