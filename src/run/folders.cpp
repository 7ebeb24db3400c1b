#include "src/run/folders.h"
#include "src/inputs/trace_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "src/inputs/format.h"
#include "src/inputs/thunder_files.h"

namespace noclobber {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepestFolder = 64;

struct Listing {
  std::vector<fs::path> files, folders, others;  // others: pipes, links to folders and the like
  bool has(std::string_view name) const {
    return std::ranges::any_of(files, [&](const fs::path& path) { return path.filename() == name; });
  }
};

Result<Listing> listing_of(const fs::path& folder) {
  Listing out;
  std::error_code fault;
  auto at = fs::directory_iterator(folder, fault);
  for (const auto end = fs::directory_iterator(); !fault && at != end; at.increment(fault)) {
    std::error_code unreadable;
    const auto own = at->symlink_status(unreadable).type(), real = at->status(unreadable).type();
    const bool leads_nowhere = own == fs::file_type::symlink && real == fs::file_type::not_found;
    if (own == fs::file_type::directory)
      out.folders.push_back(at->path());
    else if (real == fs::file_type::regular || leads_nowhere)
      out.files.push_back(at->path());
    else
      out.others.push_back(at->path());
  }
  if (fault) return Diagnostic{folder.string(), fmt::format("cannot be listed: {}", fault.message())};
  return out;
}

class Search {
 public:
  explicit Search(const std::string& root) : root_(root) {}
  std::optional<Diagnostic> visit(const fs::path& folder, int depth);
  FoundInputs take() {
    std::ranges::sort(found_.inputs, {}, &FoundInput::path);
    std::ranges::sort(found_.skipped);
    return std::move(found_);
  }

 private:
  void add(FoundInput::Kind kind, const fs::path& path) { found_.inputs.push_back({kind, path.string()}); }
  void skip(const fs::path& path) { found_.skipped.push_back(path.lexically_relative(root_).string()); }
  void files(const fs::path& folder, const Listing& listing);
  void beside(const Listing& listing);
  bool is_whole(const fs::path& folder, const Listing& listing);

  fs::path root_;
  FoundInputs found_;
};

fs::path own_name(const fs::path& folder) { return folder.has_filename() ? folder : folder.parent_path(); }

bool is_compilation(const fs::path& path) { return is_compilation_folder(path.filename().string()); }

/// Adds the folder, or its log, if it is an input. True if the files in it are part of that input.
bool Search::is_whole(const fs::path& folder, const Listing& listing) {
  if (listing.has("fx_graph_readable.py") || listing.has("fx_graph_transformed.py")) {
    add(FoundInput::Kind::debug, folder);
    return true;
  }
  const bool is_output = listing.has("compile_directory.json") || listing.has("raw.jsonl");
  const fs::path log = folder / "raw.log";
  if (is_output && listing.has("raw.log") && looks_of(log.string()) == Looks::ours) {
    add(FoundInput::Kind::file, log);
  } else if (is_output || is_compilation(own_name(folder)) ||
             std::ranges::any_of(listing.folders, is_compilation)) {
    add(FoundInput::Kind::tlparse, folder);
  }
  return is_output || is_compilation(own_name(folder));
}

void Search::files(const fs::path& folder, const Listing& listing) {
  const auto traces = thunder_traces_in(folder.string());
  if (!traces.empty()) add(FoundInput::Kind::thunder, folder);
  for (const fs::path& file : listing.files) {
    const std::string name = file.filename().string();
    // Prologues and epilogues, which Thunder runs around a computation to check arguments, are not inputs.
    const bool is_part =
        name == "inputs.json" || name.starts_with("prologue.") || name.starts_with("epilogue.");
    if (std::ranges::find(traces, file.string()) != traces.end() || (is_part && !traces.empty())) continue;
    looks_of(file.string()) == Looks::strange ? skip(file) : add(FoundInput::Kind::file, file);
  }
  for (const fs::path& other : listing.others) skip(other);
}

/// Adds the files that lie in a folder that is one input and are not part of it. The names exclude those that
/// are, since many of them look like inputs.
void Search::beside(const Listing& listing) {
  for (const fs::path& file : listing.files) {
    const std::string name = file.filename().string();
    const bool is_part = name.starts_with("raw.") || name.starts_with("fx_graph_") || name.ends_with(".txt");
    if (!is_part && looks_of(file.string()) != Looks::strange) add(FoundInput::Kind::file, file);
  }
}

std::optional<Diagnostic> Search::visit(const fs::path& folder, int depth) {
  auto listing = listing_of(folder);
  if (!listing) return listing.fault();
  is_whole(folder, *listing) ? beside(*listing) : files(folder, *listing);
  for (const fs::path& below : listing->folders) {
    if (is_compilation(below)) continue;
    if (depth == kDeepestFolder) {
      skip(below);
    } else if (auto fault = visit(below, depth + 1)) {
      return fault;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<FoundInputs> inputs_in(const std::string& directory) {
  Search search(directory);
  if (auto fault = search.visit(directory, 0)) return *fault;
  return search.take();
}

}  // namespace noclobber
