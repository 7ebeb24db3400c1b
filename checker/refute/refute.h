// Refutations. They need not be trusted, since they are replayed.
#pragma once
#include "checker/kernel/certificate.h"

namespace noclobber::checker {

/// True if the last check breaks as the refutation says, where symbols are read as their values.
bool breaks(Space& space, Certificate& certificate);

}  // namespace noclobber::checker
