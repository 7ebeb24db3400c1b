// What nc-check read of a certificate, in the nouns that a run takes.
#pragma once
#include "src/values/certificate.h"

namespace noclobber::testing {

/// Over the space it was read in: maps become the primitive ones that lead to the same elements.
std::vector<Check> checks_of(Space& space, const checker::Certificate& read);

}  // namespace noclobber::testing
