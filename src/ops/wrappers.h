// Expands auto_functionalized to its meaning: clones, views, the call, and the clones as results.
//
//   auto_functionalized_v2(op, src = s, _dst_base_index = 0, _dst_slice_dim = 0, ..., _all_bases = [t])
//     base = clone(t);  view = slice(base, 0, ...);  op(view, s);  result 1 = base
//
// The wrapper names the arguments that its operator writes, but a log does not contain the operator's schema:
// the order of arguments is inferred from a direct call in the partner graph. If several signatures fit,
// there are several readings of the case, and only a property of all of them is an answer.
#pragma once
#include <string>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

struct Readings {
  std::vector<Case> cases;            // one or more; empty if too many signatures fit, or none
  std::vector<std::string> inferred;  // operators whose effects were inferred
};

bool has_wrappers(const Case& value);
/// require: has_wrappers(value).
Readings written_out(const Case& value);
/// The reading in which operators of inferred effects write all elements of their written arguments and read
/// none of them, like those that fill an `empty`.
Case filling(Case reading, const std::vector<std::string>& inferred);

}  // namespace noclobber
