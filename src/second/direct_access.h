// Which accesses meet: asked as whether places of two views can be one place of a storage.
#pragma once
#include "src/second/direct_ask.h"

namespace noclobber {

/// The two indices are one; bad where the ranks differ.
FormulaId one_place(Formulas& f, const DirectIndex& a, const DirectIndex& b);
/// No element of one view is one of the other, in one Trace.
bool never_meet(DirectSizes& sizes, DirectAsk& ask, const TraceView& a, const TraceView& b);

}  // namespace noclobber
