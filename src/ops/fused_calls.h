// Functions of Inductor's lowering by which a pattern pass replaces several calls.
//
//   before:  m = mm(x, convert(permute(w)));  y = mul(m, s);  z = add(y, b)
//   after:   f = torch__inductor_fx_passes_quantization_woq_int8(x = x, weight = w, scales = s);
//            z = add(f, b)
//
// A printed graph contains only their names. It is an assumption that such a function computes the replaced
// calls from its arguments; the layout of its arguments, and their contents at the call, are checked.
#pragma once
#include <string>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// Replaces each such call in `after` by the calls of `before` that it stands for: those between the values
/// named like its arguments and the value that the same reader gets at the same place. A call stays if one of
/// these writes, draws, or reads anything else. Returns a sentence for each function.
std::vector<std::string> assume_fused_calls(Case& value);

}  // namespace noclobber
