// Steps with unread results, in a graph whose steps may run in any order that def-use edges allow.
//
//   d = neg(t);  r = add_(t, 1);  return r        d may hold either content of t; its value is never read
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// If the order of `after` is by data flow, replaces by aten.empty each elementwise step whose results are
/// unread. Only calls that `before` makes too, by operator and tensor types, are replaced: others may raise.
void leave_out_dead_readers(Case& value);

}  // namespace noclobber
