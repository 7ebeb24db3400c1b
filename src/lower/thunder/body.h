// Checks whether the lines below a call describe what the call does. Internal to lower/thunder.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "src/formats/thunder/text.h"

namespace noclobber {

using ThunderNames = std::set<std::string, std::less<>>;
using ThunderAsk = std::function<bool(const std::string&)>;

/// Names that the lines below read and that are neither arguments of the call nor bound by these lines, and
/// names that the call binds and they do not. Includes names of constants.
ThunderNames thunder_strange_names(const ThunderStatement& statement);

/// True if both names denote one operator, apart from surrounding underscores and the suffix `_data` of a
/// gradient.
bool thunder_same_name(std::string_view stem, std::string_view other);

/// True if the only line below repeats the call: the same operator (of another module), targets and
/// arguments.
bool thunder_repeats(const ThunderStatement& statement, std::string_view stem, std::string_view stem_below);

/// True if the call has `out=` or `inplace=`: only the call itself states that write.
bool thunder_writes_elsewhere(const ThunderStatement& statement);

/// True if the only line below is the same operator on other tensors or with another number: a remark that
/// was not updated. An axis may be negative above and counted from the front below, and keyword arguments may
/// be in another order.
bool thunder_contradicts(const ThunderStatement& statement, std::string_view stem,
                         std::string_view stem_below, const ThunderAsk& is_tensor);

}  // namespace noclobber
