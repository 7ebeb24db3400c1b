// Programs for a pass under test, by profile.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/case.h"

namespace noclobber::fuzz {

/// "mixed" and the profiles of docs/fuzzing.md, sorted.
std::vector<std::string_view> profile_names();
/// Splits "views,kv-cache". Empty if a word names no profile; `unknown` is that word.
std::optional<std::vector<std::string>> profiles_of(const std::string& list, std::string& unknown);

/// Program `seed` of one of these profiles, as `after` of a case without `before`. If `profiles` is empty:
/// mixed, or in half of all cases any general profile. The same on every machine. Empty if the seed makes no
/// program that runs.
std::optional<Case> program_of(std::uint64_t seed, const std::vector<std::string>& profiles);

}  // namespace noclobber::fuzz
