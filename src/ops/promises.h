// What Inductor's passes promise of a printed graph (torch/_inductor/fx_passes/README.md). A broken promise
// is no wrong result by itself; a later pass that relies on it makes one.
//
//   functional   before reinplacing nothing is written but inputs, by copy_
//   epilogue     each input is copied into once, in the order of before, and nothing is computed behind
//   behind reinplacing: each input is copied into once, in the order of before; what writes otherwise than
//                reinplacing and before do is assumed to be meant, since a log does not say who made it
//   unbacked     a size that is read out of a tensor is made by such a step before another one has it
#pragma once
#include <string>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// What `after` of a pair of a log breaks and `before` keeps, a sentence each: "functional: add_ ...".
std::vector<std::string> broken_promises(const Case& value);

/// The assumption that writes behind reinplacing are meant which neither it makes nor `before` has; empty:
/// none.
std::string foreign_writes(const Case& value);

}  // namespace noclobber
