// Whether the lines below a call say what the call does. Internal to thunder_*.cpp.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "src/formats/thunder/text.h"

namespace noclobber {

using ThunderNames = std::set<std::string, std::less<>>;
using ThunderAsk = std::function<bool(const std::string&)>;

/// Names that the lines below read and that are neither given to the call nor bound by them; and names that
/// the call binds and they do not. Constants are among them.
ThunderNames thunder_strange_names(const ThunderStatement& statement);

/// Two names of one operator, but for underscores around them and what marks the data of a gradient.
bool thunder_same_name(std::string_view stem, std::string_view other);

/// The one line below repeats the call: the same operator by another module, targets, and arguments.
bool thunder_repeats(const ThunderStatement& statement, std::string_view stem, std::string_view stem_below);

/// The call is given `out=` or `inplace=`: what it writes stands in it alone.
bool thunder_writes_elsewhere(const ThunderStatement& statement);

/// The one line below is the same operator, but on other tensors or with another number: a remark that was
/// not renewed. Axes below may be counted from the front, and arguments may stand in another order.
bool thunder_contradicts(const ThunderStatement& statement, std::string_view stem,
                         std::string_view stem_below, const ThunderAsk& is_tensor);

}  // namespace noclobber
