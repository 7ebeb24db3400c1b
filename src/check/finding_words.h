// What a diagnosis says of its places, and what to do about it.
#pragma once
#include "src/interp/replay.h"
#include "src/report/record.h"

namespace noclobber {

/// Says of define, clobber and read of a replayed finding what each of them does.
void note_places(Finding& finding, const Case& value, const Witness& witness);

/// Of a fault that is seen at the boundary alone: the value that leaves and the return. They tell where it is
/// and not which it is: no fingerprint has them.
void put_boundary(Finding& finding, const Case& value, const Witness& witness);

/// One sentence for the author of the pass, one for the author of the model; "" where there is nothing true
/// to say.
std::string help_for_pass(const Finding& finding, const Case& value);
std::string help_for_model(const Finding& finding, const Case& value);

/// The step of `before` that makes what the finding is about: for NC001 the counterpart of the step that
/// defines, for NC006 the write that is gone; else what makes the output at fault, or the step of the same
/// name.
std::optional<FindingPlace> place_in_before(const Finding& finding, const Case& value,
                                            const Witness& witness);

}  // namespace noclobber
