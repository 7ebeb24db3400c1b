// Functions of Inductor's lowering that a pattern pass puts in the place of several calls.
//
//   before:  m = mm(x, convert(permute(w)));  y = mul(m, s);                      z = add(y, b)
//   after:   f = torch__inductor_fx_passes_quantization_woq_int8(x = x, weight = w, scales = s);  z = add(f,
//   b)
//
// A printed graph knows nothing of them but their name. That such a function computes what stood there, of
// what it is given, is an assumption; where its arguments lie, and what they hold then, is checked.
#pragma once
#include <string>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// Writes out, in `after`, each such call as the calls of `before` that it stands for: those between the
/// arguments of its names and the value that the same reader is given at the same place. Not where one of
/// them writes, draws, or reads anything else. Returns a sentence for each function.
std::vector<std::string> assume_fused_calls(Case& value);

}  // namespace noclobber
