// The decision.
#pragma once
#include "checker/kernel/certificate.h"

namespace noclobber::checker {

/// Enumerates what has to be shown and shows it, or says in `certificate.answer` why not. A `space` that
/// searches adds evidence to what the certificate holds.
void decide(Space& space, Certificate& certificate);

}  // namespace noclobber::checker
