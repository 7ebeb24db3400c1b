// Constants that `before` reads and `after` has folded away, where their contents are unknown or one number
// throughout.
//
//   before:  c = lift_fresh_copy(_tensor_constant0);  y = index_put(x, [c], v)
//   after:   f = full([1], 0);                        y = index_put(x, [f], v)
//
// A printed graph does not contain the contents of its constants, but the pass that folded one has seen them:
// the call that was given the constant is now given a filled tensor of the same type.
#pragma once
#include <string>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// Replaces the copies of such a constant in `before` (lift_fresh_copy) by the fill of `after`, and returns a
/// sentence for each constant that is not known to hold the number. A constant is left alone if two calls
/// suggest different numbers, if the filled tensor is of another type, or if the constant may change before
/// it is read.
std::vector<std::string> assume_folded_constants(Case& value);

}  // namespace noclobber
