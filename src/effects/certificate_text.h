// A check's Traces in the form that checker/read.h reads.
#pragma once
#include <set>
#include <string>

#include "checker/obligation.h"

namespace noclobber {

std::string certificate_text(const Space& space, const Trace* before, const Trace& after,
                             const Boundary& boundary, const std::set<Obligation>& by_solver,
                             const std::string& assumptions);

}  // namespace noclobber
