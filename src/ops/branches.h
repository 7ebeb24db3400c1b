// Conditional branches, decided: a case with cond is one case without it for every way its branches may go.
//
//   r = cond(p, then, else, [x])     becomes     noclobber.branch(p, "cond0"); the steps of the chosen body
//
// The step noclobber.branch is impure: both graphs must branch alike, in one order, on equal predicates.
// invoke_subgraph and control_deps are written out the same way, without a branch.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

struct World {
  std::string name;  // "cond0 true, cond1 false"
  Case value;
};

/// Every combination of branches that is met, 64 at most, each of 65,536 steps at most. None where the case
/// is left as it is: nothing branches, any order may run, there are more, or a branch cannot be written out
/// (its body is not known or takes other operands).
std::vector<World> worlds_of(const Case& value);

/// The operator noclobber.branch, which the cases of worlds use.
OpDecl branch_declaration();

}  // namespace noclobber
