// Settings from a file: noclobber.toml or [tool.noclobber] of pyproject.toml, the nearest in this folder or
// above. The command line has priority over the file, and the file over the defaults.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/run/options.h"

namespace noclobber {

/// By setting, where it comes from: "command line", "noclobber.toml:3". Defaults are not in it.
using Origins = std::map<std::string, std::string>;

/// Sets the options of the file that are not in `given` (names such as "fail-on"). Paths in the file are
/// relative to its folder. error: the file cannot be read, or has an unknown key or a value of the wrong
/// type; `where` is "FILE:LINE" for the latter two.
Result<Origins> apply_config(Options& options, const std::set<std::string>& given);

/// All settings as TOML, each with a remark that says where it comes from.
std::string config_text(const Options& options, const Origins& origins);

/// "--start,--seed" -> "start"
std::string setting_name(std::string_view flag);

}  // namespace noclobber
