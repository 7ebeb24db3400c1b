// Refutations: nobody has to trust them, they are played again.
#pragma once
#include "checker/kernel/certificate.h"

namespace noclobber::checker {

/// Where symbols are values: does the last check break as the certificate says?
bool breaks(Space& space, Certificate& certificate);

}  // namespace noclobber::checker
