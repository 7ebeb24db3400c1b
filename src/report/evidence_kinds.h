// The kinds of evidence that a certificate uses, for the score of `fuzz`.
#pragma once
#include <set>
#include <string>

#include "checker/kernel/certificate.h"

namespace noclobber {

/// Every kind that evidence_kinds() can return.
std::set<std::string> all_evidence_kinds();
std::set<std::string> evidence_kinds(const Space& space, const checker::Certificate& certificate);

}  // namespace noclobber
