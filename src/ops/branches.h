// Decides conditional branches: a case with cond becomes one case without it for every combination of
// outcomes.
//
//   r = cond(p, then, else, [x])     becomes     noclobber.branch(p, "cond0"); the steps of the chosen body
//
// The step noclobber.branch is impure: both graphs must branch on equal predicates, in the same order.
// invoke_subgraph and control_deps are inlined the same way, without a branch.
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

/// Every combination of branches that can occur: at most 64, each of at most 65,536 steps. Empty if the case
/// is left as it is: it has no branch, its steps may run in any order, there are more combinations or steps,
/// or a branch cannot be inlined (its body is unknown or takes other operands).
std::vector<World> worlds_of(const Case& value);

/// The operator noclobber.branch, which the cases of `worlds_of` call.
OpDecl branch_declaration();

}  // namespace noclobber
