#include "src/cli/looks.h"

#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "src/formats/formats.h"

namespace noclobber {

namespace {

namespace fs = std::filesystem;

constexpr unsigned kSniffedBytes = 1U << 16;
constexpr std::string_view kEndings[] = {".json", ".pt2", ".pte", ".mlx", ".csv"};

/// A file that unpacks itself while it is read, if it is gzip.
class Unpacked {
 public:
  explicit Unpacked(const std::string& path) : file_(gzopen(path.c_str(), "rb"), gzclose) {}

  /// The next bytes, "" at the end; nothing if they cannot be read.
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

/// Does a file of that name claim to be something that is read?
bool is_named_like_ours(const fs::path& path) {
  std::string name = path.filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  return name.find(".log") != std::string::npos || std::ranges::any_of(kEndings, ends);
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// `"format": "noclobber.case/1"`, of this version or another, in the text behind `at`.
bool says_case(std::string_view text) {
  constexpr std::string_view kKey = "\"format\"";
  for (std::size_t at = text.find(kKey); at != text.npos; at = text.find(kKey, at + 1)) {
    std::size_t behind = text.find_first_not_of(" \t\r\n", at + kKey.size());
    if (behind == text.npos || text[behind] != ':') continue;
    behind = text.find_first_not_of(" \t\r\n", behind + 1);
    if (behind == text.npos) return false;
    const std::string_view value = text.substr(behind);
    for (const std::string_view ours : {"\"noclobber.case/", "\"noclobber.case\\/", "\"noclobber.recording/"})
      if (value.starts_with(ours)) return true;
  }
  return false;
}

/// Members may stand in any order: the whole file is looked through, a little of it at a time.
Looks looks_of_json(std::string text, Unpacked& file) {
  constexpr std::size_t kOverlap = 4096;  // that a key and its value lie within, with all white space
  for (;;) {
    if (says_case(text)) return Looks::ours;
    const auto more = file.next();
    if (!more || more->empty()) return Looks::strange;
    if (text.size() > kOverlap) text.erase(0, text.size() - kOverlap);
    text += *more;
  }
}

/// Other archives are zip files, too.
bool is_exported_program(std::string_view bytes) {
  return has_any(bytes, {"/archive_format", "weights_config.json", "model_param_config.json",
                         "constants_config.json", "serialized_exported_program.json"});
}

bool is_printed_graph(std::string_view text) {
  return has_any(text, {"class <lambda>", "class GraphModule(torch.nn.Module)", "torch.ops."});
}

/// An ordinary class of Python begins as a printed graph does; so it has to be one.
bool reads_as_graph(const std::string& path) {
  const auto text = read_file(path);
  return text && read_fx_text(*text);
}

bool is_printed_trace(std::string_view text) {
  return has_any(text, {"# Constructed by ", "def computation(", "def backward_fn(", "def prologue(",
                        "def epilogue(", "def augmented_forward_fn("});
}

/// A table of buffers that nobody has placed is a question, no plan.
bool is_placed(std::string_view text) {
  const std::string_view header = text.substr(0, text.find('\n'));
  return header.find("offset") != header.npos;
}

}  // namespace

Looks looks_of(const std::string& path) {
  Unpacked file(path);
  const auto begin = file.next();
  const auto if_so = [](bool is_ours) { return is_ours ? Looks::ours : Looks::strange; };
  if (!begin) return if_so(is_named_like_ours(path));
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".pt2" || extension == ".pte") return Looks::ours;
  switch (sniff(*begin)) {
    case InputKind::torch_trace:
    case InputKind::pte:
    case InputKind::mlx:
      return Looks::ours;
    case InputKind::case_json:
      return looks_of_json(*begin, file);
    case InputKind::pt2:
      return if_so(is_exported_program(*begin));
    case InputKind::fx_text:
      return if_so(is_printed_graph(*begin) || reads_as_graph(path));
    case InputKind::thunder:
      return is_printed_trace(*begin) ? Looks::thunder : Looks::strange;
    case InputKind::plan_csv:
      return if_so(is_placed(*begin));
    case InputKind::unknown:
      break;
  }
  return Looks::strange;
}

}  // namespace noclobber
