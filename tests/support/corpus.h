// The cases of the corpus, for tests that take any case.
#pragma once
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/case/case_json.h"
#include "src/text/file.h"
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

/// Files of a folder beneath corpus/ whose names end so, as paths beneath corpus/, by name.
inline std::vector<std::string> corpus_files(const std::string& folder, std::string_view ending) {
  const std::filesystem::path corpus = in_sources("/corpus");
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus / folder))
    if (entry.is_regular_file() && entry.path().filename().string().ends_with(ending))
      out.push_back(entry.path().lexically_relative(corpus).string());
  std::ranges::sort(out);
  return out;
}
/// The text of such a file. require: it can be read.
inline std::string corpus_text(const std::string& file) { return *read_file(in_sources("/corpus/") + file); }
/// Folders beneath corpus/ that hold such files, by name.
inline std::set<std::string> corpus_folders(const std::string& folder, std::string_view ending) {
  std::set<std::string> out;
  for (const std::string& file : corpus_files(folder, ending))
    out.insert(std::filesystem::path(file).parent_path().string());
  return out;
}

}  // namespace noclobber::testing
