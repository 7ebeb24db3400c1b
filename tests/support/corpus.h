// The cases of the corpus, for tests that take any case.
#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "src/formats/formats.h"
#include "tests/support/source_dir.h"

namespace noclobber::testing {

/// All readable cases of the folder, by file name; none where it is missing.
inline std::vector<std::pair<std::string, Case>> corpus_cases(
    const std::string& folder = in_sources("/corpus/cases")) {
  std::vector<std::pair<std::string, Case>> out;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    if (entry.path().extension() != ".json") continue;
    const auto text = read_file(entry.path().string());
    if (!text) continue;
    auto value = read_case_json(*text);
    if (value) out.emplace_back(entry.path().filename().string(), std::move(*value));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

}  // namespace noclobber::testing
