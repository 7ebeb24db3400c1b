// Results of users' operators that nobody reads, so that a dump does not describe them.
//
//   before  v = mine.top(x);  a = v[1]          after  v = mine.top(x);  a = v[1];  b = v[0]
//
// Both calls are one function of what they are given if their results are of one type; a result that is not
// described takes the type that the same call of the other graph says. Nothing rests on that type: where the
// calls are given other things they are not taken for one anyway.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// In both graphs: the k-th call of an operator is compared with the other graph's, where there are as many.
void describe_untold_results(Case& value);

}  // namespace noclobber
