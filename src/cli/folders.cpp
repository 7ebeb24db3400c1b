#include "src/cli/folders.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "src/formats/formats.h"

namespace noclobber {

namespace {

namespace fs = std::filesystem;

constexpr unsigned kSniffedBytes = 1U << 16;
constexpr int kDeepestFolder = 64;

/// The first bytes of a file, unpacked if it is gzip; nothing if it cannot be read.
std::optional<std::string> first_bytes(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) return std::nullopt;
  std::string out(kSniffedBytes, '\0');
  const int count = gzread(file.get(), out.data(), kSniffedBytes);
  if (count < 0) return std::nullopt;
  out.resize(static_cast<std::size_t>(count));
  return out;
}

/// A file that is named like a log and cannot be read is kept: reading it will say why.
bool looks_like_log(const fs::path& path) {
  const auto bytes = first_bytes(path.string());
  if (!bytes) return path.filename().string().find(".log") != std::string::npos;
  return sniff(*bytes) == InputKind::torch_trace;
}

/// Is it a program, an exported program, or JSON that says it is a case?
bool looks_like_case(const fs::path& path) {
  const fs::path extension = path.extension();
  if (extension == ".pt2" || extension == ".pte") return true;
  if (extension != ".json") return false;
  const auto bytes = first_bytes(path.string());
  return bytes && bytes->find("\"noclobber.case/1\"") != std::string::npos;
}

struct Listing {
  std::vector<fs::path> files, folders;
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
    const auto kind = at->symlink_status(unreadable).type();
    if (kind == fs::file_type::directory) out.folders.push_back(at->path());
    if (at->is_regular_file(unreadable)) out.files.push_back(at->path());
  }
  if (fault) return Diagnostic{folder.string(), fmt::format("cannot be listed: {}", fault.message())};
  return out;
}

class Search {
 public:
  std::optional<Diagnostic> visit(const fs::path& folder, int depth);
  std::vector<FoundInput> take() {
    std::ranges::sort(found_, {}, &FoundInput::path);
    return std::move(found_);
  }

 private:
  void add(FoundInput::Kind kind, const fs::path& path) { found_.push_back({kind, path.string()}); }
  bool is_whole(const fs::path& folder, const Listing& listing);

  std::vector<FoundInput> found_;
};

/// Is the folder one input, with what lies below it?
bool Search::is_whole(const fs::path& folder, const Listing& listing) {
  if (listing.has("fx_graph_readable.py") || listing.has("fx_graph_transformed.py")) {
    add(FoundInput::Kind::debug, folder);
    return true;
  }
  const bool is_output = listing.has("compile_directory.json") || listing.has("raw.jsonl");
  const auto is_compilation = [](const fs::path& path) {
    return is_compilation_folder(path.filename().string());
  };
  const fs::path own = folder.has_filename() ? folder : folder.parent_path();
  if (is_output && listing.has("raw.log") && looks_like_log(folder / "raw.log")) {
    add(FoundInput::Kind::file, folder / "raw.log");
  } else if (is_output || is_compilation(own) || std::ranges::any_of(listing.folders, is_compilation)) {
    add(FoundInput::Kind::tlparse, folder);
  }
  return is_output || is_compilation(own);
}

std::optional<Diagnostic> Search::visit(const fs::path& folder, int depth) {
  auto listing = listing_of(folder);
  if (!listing) return listing.fault();
  const bool is_one = is_whole(folder, *listing);
  for (const fs::path& file : listing->files)
    if (!is_one && (looks_like_case(file) || looks_like_log(file))) add(FoundInput::Kind::file, file);
  for (const fs::path& below : listing->folders) {
    const std::string name = below.filename().string();
    if (is_compilation_folder(name) || (is_one && !name.starts_with("rank_")) || depth == kDeepestFolder)
      continue;
    if (auto fault = visit(below, depth + 1)) return fault;
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<FoundInput>> inputs_in(const std::string& directory) {
  Search search;
  if (auto fault = search.visit(directory, 0)) return *fault;
  return search.take();
}

}  // namespace noclobber
