// The decision about a certificate.
#pragma once
#include "checker/kernel/certificate.h"

namespace noclobber::checker {

/// Enumerates the obligations and discharges them; `certificate.answer` says which and why not. A `space`
/// that searches adds evidence to that of the certificate.
void decide(Space& space, Certificate& certificate);

}  // namespace noclobber::checker
