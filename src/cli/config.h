// Settings from a file: noclobber.toml, or [tool.noclobber] of pyproject.toml, the nearest upwards. What the
// command line says comes first, then the file, then the defaults.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/run/options.h"

namespace noclobber {

/// Where a setting comes from: "command line", "noclobber.toml:3", "default".
using Origins = std::map<std::string, std::string>;

/// Fills in what `given` (names as "fail-on") does not have. Files and folders that the file names lie beside
/// it. error: `where` is "FILE:LINE"; of a key that is no option, of a value of another kind.
Result<Origins> apply_config(Options& options, const std::set<std::string>& given);

/// All settings as TOML, each with where it comes from.
std::string config_text(const Options& options, const Origins& origins);

/// "--start,--seed" -> "start"
std::string setting_name(std::string_view flag);

}  // namespace noclobber
