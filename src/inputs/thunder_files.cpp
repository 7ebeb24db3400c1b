#include "src/inputs/thunder_files.h"
#include "src/lower/checks.h"
#include "src/lower/thunder/thunder.h"
#include "src/text/file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>

#include "src/inputs/format.h"

namespace noclobber {

namespace {

namespace files = std::filesystem;

constexpr std::string_view kDigits = "0123456789";

/// The sort key of a trace's file name: forward before backward, then by number. Empty for other names.
std::optional<std::tuple<bool, std::uint64_t, std::string>> trace_rank(const std::string& name) {
  const bool backward = name.starts_with("bw");
  const std::size_t start = backward ? 2 : 0;
  const std::size_t end = name.find_first_not_of(kDigits, start);
  if (end == start || end == std::string::npos || end - start > 9) return std::nullopt;
  if (!name.ends_with(".txt") && !name.ends_with(".txt.gz") && !name.ends_with(".py")) return std::nullopt;
  return std::tuple(backward, std::stoull(name.substr(start, end - start)), name);
}

/// The paths of the numbered traces by rank.
std::map<std::tuple<bool, std::uint64_t, std::string>, std::string> numbered(const std::string& directory) {
  std::map<std::tuple<bool, std::uint64_t, std::string>, std::string> out;
  std::error_code fault;
  for (auto at = files::directory_iterator(directory, fault); !fault && at != files::directory_iterator();
       at.increment(fault)) {
    std::error_code unreadable;
    const std::string path = at->path().string();
    const auto rank = trace_rank(at->path().filename().string());
    if (!rank || !at->is_regular_file(unreadable)) continue;
    const bool is_called_one = path.ends_with(".trace.txt") || path.ends_with(".trace.txt.gz");
    if (is_called_one || looks_of(path) == Looks::thunder) out[*rank] = path;
  }
  return out;
}

/// True if the directory has this part, which runs before or after the computation. No pass makes it from
/// another trace.
bool has_part(const std::string& directory, const std::string& part) {
  std::error_code fault;
  return std::ranges::any_of(std::array{".trace.txt", ".trace.txt.gz"}, [&](const char* ending) {
    return files::is_regular_file(files::path(directory) / (part + ending), fault);
  });
}

}  // namespace

std::vector<std::string> thunder_traces_in(const std::string& directory) {
  std::vector<std::string> out;
  for (const auto& [rank, path] : numbered(directory)) out.push_back(path);
  return out;
}

std::vector<TraceCheck> read_thunder_directory(const std::string& directory) {
  std::vector<ThunderFile> forward, backward;
  std::vector<TraceCheck> faults;
  for (const auto& [rank, path] : numbered(directory)) {
    auto text = read_file(path);
    if (!text) {
      TraceCheck unreadable;
      unreadable.id = stem_of(path);
      unreadable.value = Diagnostic{stem_of(path), text.fault().message};
      faults.push_back(std::move(unreadable));
      continue;
    }
    (std::get<0>(rank) ? backward : forward).push_back({stem_of(path), *std::move(text)});
  }
  auto out = read_thunder_sequence(forward, backward, thunder_inputs_beside(directory + "/x"));
  for (const std::string part : {"prologue", "epilogue"})
    if (has_part(directory, part))
      for (TraceCheck& check : out) check.unchecked.push_back(part);
  for (TraceCheck& fault : faults) out.push_back(std::move(fault));
  return out;
}

std::string thunder_inputs_beside(const std::string& path) {
  if (path == "-") return "";
  std::error_code fault;
  const files::path inputs = files::path(path).parent_path() / "inputs.json";
  if (!files::is_regular_file(inputs, fault)) return "";
  auto text = read_file(inputs.string());
  return text ? *std::move(text) : "";
}

}  // namespace noclobber
