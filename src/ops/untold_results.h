// Unread results of users' operators, which a dump therefore does not describe.
//
//   before  v = mine.top(x);  a = v[1]          after  v = mine.top(x);  a = v[1];  b = v[0]
//
// Both calls compute the same function of their arguments if their results have the same types, so a result
// that is not described takes the type that the same call of the other graph states. No answer depends on
// that type: calls with different arguments are different calls anyway.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// Rewrites both graphs: the k-th call of an operator is matched with that of the other graph, if both have
/// as many.
void describe_untold_results(Case& value);

}  // namespace noclobber
