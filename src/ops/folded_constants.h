// Constants that `before` reads and `after` has folded away, where nobody says what they hold, or where it is
// one number.
//
//   before:  c = lift_fresh_copy(_tensor_constant0);  y = index_put(x, [c], v)
//   after:   f = full([1], 0);                        y = index_put(x, [f], v)
//
// A printed graph has no contents of its constants. The pass that folded this one has seen them: the call
// that was given the constant is given a filled tensor of the same type.
#pragma once
#include <string>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// Fills the number in where `before` copies such a constant (lift_fresh_copy), and returns a sentence for
/// each, but for those that are known to hold it. Not where two calls tell different numbers, where the
/// filled tensor is of another type, or where something might change the constant before it is read.
std::vector<std::string> assume_folded_constants(Case& value);

}  // namespace noclobber
