// Whether the lines below a call say what the call does. Internal to thunder_*.cpp.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "src/formats/thunder_text.h"

namespace noclobber {

using ThunderNames = std::set<std::string, std::less<>>;

/// Names that the lines below read and that are neither given to the call nor bound by them; and names that
/// the call binds and they do not. Constants are among them.
ThunderNames thunder_strange_names(const ThunderStatement& statement);

/// The one line below repeats the call: the same operator by another module, targets, and arguments.
bool thunder_repeats(const ThunderStatement& statement, std::string_view stem, std::string_view stem_below);

}  // namespace noclobber
