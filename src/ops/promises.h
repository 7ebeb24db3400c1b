// Invariants of a printed graph that Inductor's passes promise (torch/_inductor/fx_passes/README.md).
// Breaking one is not a wrong result by itself, but a later pass that relies on it may produce one.
//
//   functional   before reinplacing, only inputs are written, and only by copy_
//   epilogue     each input is copied into once, in the order of `before`, and nothing is computed afterwards
//   after reinplacing: each input is copied into once, in the order of `before`; writes that neither
//                reinplacing nor `before` makes are assumed to be intended, since a log does not say
//                which pass made them
//   unbacked     a size that is read out of a tensor is bound by such a step before another step uses it
#pragma once
#include <string>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// The promises that `after` of a pair from a log breaks and `before` keeps, a sentence each: "functional:
/// add_ ...".
std::vector<std::string> broken_promises(const Case& value);

/// The assumption that writes after reinplacing which neither it nor `before` makes are intended. Empty if
/// there are none.
std::string foreign_writes(const Case& value);

}  // namespace noclobber
