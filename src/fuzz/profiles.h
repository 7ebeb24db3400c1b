// Programs for a pass under test, by what they are like.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/case.h"

namespace noclobber::fuzz {

/// "mixed" and those of docs/fuzzing.md, sorted.
std::vector<std::string_view> profile_names();
/// Splits "views,kv-cache". Nothing: `unknown` is a word that names no profile.
std::optional<std::vector<std::string>> profiles_of(const std::string& list, std::string& unknown);

/// Program `seed` of one of these profiles (empty: of all, half of them mixed), as `after` of a case without
/// `before`. The same for a seed everywhere. Nothing: this seed makes no program that runs.
std::optional<Case> program_of(std::uint64_t seed, const std::vector<std::string>& profiles);

}  // namespace noclobber::fuzz
