// A pair by way of a TORCH_TRACE log: what its graphs look like as FX text, in the records of one compile.
#pragma once
#include <string>

#include "src/fuzz/random.h"
#include "src/graph/case.h"

namespace noclobber::fuzz {

/// Before and after Inductor's passes. "": FX text does not say what the case holds (branches, plans, no
/// `before`).
std::string log_of(const Case& value);
/// Ends inside of the last graph, behind a statement's first character.
std::string cut_log(std::string log, Random& random);

}  // namespace noclobber::fuzz
