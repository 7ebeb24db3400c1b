// The texts of a diagnosis: notes at its places, and what to do about it.
#pragma once
#include "src/interp/replay.h"
#include "src/report/record.h"

namespace noclobber {

/// Notes at define, clobber and read of a replayed finding what each of them does.
void note_places(Finding& finding, const Case& value, const Witness& witness);

/// For a fault that is visible only at the boundary: adds the returned value and the return as places. They
/// locate the fault but do not identify it, so no fingerprint includes them.
void put_boundary(Finding& finding, const Case& value, const Witness& witness);

/// One sentence for the author of the pass, and one for the author of the model; "" if there is no certain
/// advice.
std::string help_for_pass(const Finding& finding, const Case& value);
std::string help_for_model(const Finding& finding, const Case& value);

/// The step of `before` that makes what the finding is about: for NC001 the counterpart of the defining step,
/// for NC006 the write that is gone; else the step that makes the output at fault, or the step of the same
/// name. Empty if there is none.
std::optional<FindingPlace> place_in_before(const Finding& finding, const Case& value,
                                            const Witness& witness);

}  // namespace noclobber
