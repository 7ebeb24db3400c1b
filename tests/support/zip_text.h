// Zip archives in memory, for tests of readers.
#pragma once
#include <string>
#include <utility>
#include <vector>

/// An archive with these members, packed.
std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members);
