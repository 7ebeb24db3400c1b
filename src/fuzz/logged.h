// A pair as a TORCH_TRACE log: its graphs as FX text, in the records of one compile.
#pragma once
#include <string>

#include "src/fuzz/random.h"
#include "src/graph/case.h"

namespace noclobber::fuzz {

/// The graphs before and after Inductor's passes. "" if FX text cannot express the case (branches, plans, no
/// `before`).
std::string log_of(const Case& value);
/// Cuts the log inside the last graph, after the start of its forward(). "" if there is none.
std::string cut_log(std::string log, Random& random);

}  // namespace noclobber::fuzz
