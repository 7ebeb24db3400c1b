// Which accesses may overlap: asks whether elements of two views can be one element of a storage.
#pragma once
#include "src/second/direct_ask.h"

namespace noclobber {

/// True where the two indices are equal; bad if the ranks differ.
FormulaId one_place(Formulas& f, const DirectIndex& a, const DirectIndex& b);
/// True if no element of one view is an element of the other, in one Trace.
bool never_meet(DirectSizes& sizes, DirectAsk& ask, const TraceView& a, const TraceView& b);

}  // namespace noclobber
