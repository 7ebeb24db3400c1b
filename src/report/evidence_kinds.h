// What a certificate rests on, by kind: for the score.
#pragma once
#include <set>
#include <string>

#include "checker/kernel/certificate.h"

namespace noclobber {

/// Every kind that evidence_kinds may name.
std::set<std::string> all_evidence_kinds();
std::set<std::string> evidence_kinds(const Space& space, const checker::Certificate& certificate);

}  // namespace noclobber
