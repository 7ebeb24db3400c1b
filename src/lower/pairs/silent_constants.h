// Constants of the same name in two graphs, neither of which states their contents.
#pragma once
#include <string>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// "c", "c, w", "c, w, b and 3 more"
std::string listed_names(const std::vector<std::string>& names);

/// The assumption that constants of these names have equal contents.
std::string same_constants(const std::vector<std::string>& names);

/// Adds that assumption if both graphs of the case read such constants.
void assume_same_constants(Case& value);

}  // namespace noclobber
