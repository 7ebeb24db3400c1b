// Constants that two graphs call alike, of which neither says what they hold.
#pragma once
#include <string>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// "c", "c, w", "c, w, b and 3 more"
std::string listed_names(const std::vector<std::string>& names);

/// The assumption that rests on these names.
std::string same_constants(const std::vector<std::string>& names);

/// Notes it, where both graphs of a case read such constants.
void assume_same_constants(Case& value);

}  // namespace noclobber
