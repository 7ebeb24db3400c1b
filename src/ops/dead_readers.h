// Steps whose results nobody reads, where steps may run in any order that names allow.
//
//   d = neg(t);  r = add_(t, 1);  return r        d may find either content of t, and nobody sees which
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// In `after`, of an order by data flow, makes what computes element by element and is read by nobody memory
/// that is not written. Only calls that `before` has as well, by operator and types of the tensors: others
/// may raise.
void leave_out_dead_readers(Case& value);

}  // namespace noclobber
