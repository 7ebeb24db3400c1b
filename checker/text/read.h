// The reader of certificates (docs/certificate.md).
#pragma once
#include <string_view>

#include "checker/kernel/certificate.h"

namespace noclobber::checker {

/// Reads the text of a certificate. `concrete`: symbols are read as their values. Throws Unreadable.
Certificate read(Space& space, std::string_view text, bool concrete);

}  // namespace noclobber::checker
