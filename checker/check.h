// The answer of nc-check to the text of a certificate. docs/certificate.md describes the text, docs/trust.md
// why the answer is right.
#pragma once
#include <string_view>

#include "checker/kernel/certificate.h"

namespace noclobber::checker {

/// Decides from the Traces and the evidence alone; a plan that is a table is decided while it is read. A
/// `space` that searches adds evidence to that of the text; nc-check's does not.
Answer check(std::string_view text, Space& space);

}  // namespace noclobber::checker
