#include "src/inputs/format.h"

#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

namespace noclobber {

namespace {

namespace fs = std::filesystem;

constexpr unsigned kSniffedBytes = 1U << 16;
constexpr std::string_view kEndings[] = {".json", ".pt2", ".pte", ".mlx", ".csv"};

/// A file that is decompressed while it is read, if it is gzip.
class Unpacked {
 public:
  explicit Unpacked(const std::string& path) : file_(gzopen(path.c_str(), "rb"), gzclose) {}

  /// The next bytes, "" at the end; empty if they cannot be read.
  std::optional<std::string> next() {
    std::string out(kSniffedBytes, '\0');
    const int count = file_ ? gzread(file_.get(), out.data(), kSniffedBytes) : -1;
    if (count < 0) return std::nullopt;
    out.resize(static_cast<std::size_t>(count));
    return out;
  }

 private:
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

/// True if the name is that of an input format.
bool is_named_like_ours(const fs::path& path) {
  std::string name = path.filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  return name.find(".log") != std::string::npos || std::ranges::any_of(kEndings, ends);
}

}  // namespace

Looks looks_of(const std::string& path) {
  Unpacked file(path);
  const auto begin = file.next();
  if (!begin) return is_named_like_ours(path) ? Looks::ours : Looks::strange;
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".pt2" || extension == ".pte") return Looks::ours;
  const InputFormat* const format = format_of(*begin);
  return format == nullptr ? Looks::strange : format->looks({path, *begin, [&] { return file.next(); }});
}

}  // namespace noclobber
