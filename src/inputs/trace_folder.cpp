// The output of tlparse for a log: a folder per compilation with a file per payload, `-_0_0_0/NAME_7.txt`,
// and raw.jsonl with all records, which name those files.
#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "src/inputs/trace_folder.h"
#include "src/lower/checks.h"
#include "src/lower/torch_trace/reader.h"
#include "src/text/file.h"

namespace noclobber {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPayload = std::size_t{1} << 30;  // bytes

std::optional<std::int64_t> folder_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || fault != std::errc() || end != text.data() + text.size() || number < 0)
    return std::nullopt;
  return number;
}

std::vector<std::string_view> split_at_lines(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('_', at), name.size());
    parts.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// The metadata of a record, from the numbers in the name of its folder and of the rank's folder above it.
OrderedJson folder_meta(const fs::path& folder) {
  constexpr std::array<const char*, 4> kKeys = {"compiled_autograd_id", "frame_id", "frame_compile_id",
                                                "attempt"};
  OrderedJson meta = OrderedJson::object();
  const std::string name = folder.filename().string();
  const auto parts = split_at_lines(name);
  for (std::size_t k = 0; k < parts.size() && !name.starts_with("unknown"); ++k)
    if (const auto number = folder_number(parts[k])) meta[kKeys[k + kKeys.size() - parts.size()]] = *number;
  const std::string above = folder.parent_path().filename().string();
  if (above.starts_with("rank_"))
    if (const auto rank = folder_number(above.substr(5))) meta["rank"] = *rank;
  return meta;
}

struct PayloadFile {
  std::int64_t number = 0;  // of the record in the whole log
  fs::path path;
  OrderedJson meta;
};

class FolderReader {
 public:
  explicit FolderReader(const std::string& path) : root_(path) {}

  TraceLog read() {
    const fs::path records = root_ / "raw.jsonl";
    std::error_code fault;
    if (fs::is_regular_file(records, fault))
      read_records(records.string());
    else
      read_payloads();
    return reader_.finish();
  }

 private:
  void read_records(const std::string& path);
  void read_record(std::string_view line, std::size_t number);
  void read_payloads();
  void list(const fs::path& folder, std::vector<PayloadFile>& files);
  bool load(const fs::path& path, TraceRecord& record);
  void note(std::string where, std::string message) {
    reader_.log().notes.push_back({std::move(where), std::move(message)});
  }

  fs::path root_;
  std::shared_ptr<std::deque<std::string>> payloads_ = std::make_shared<std::deque<std::string>>();
  TraceReader reader_{payloads_};
};

bool FolderReader::load(const fs::path& path, TraceRecord& record) {
  auto text = read_file(path.string(), kLargestPayload);
  record.file = path.lexically_relative(root_).string();
  if (!text) {
    note(record.file, text.fault().message);
    return false;
  }
  record.payload = payloads_->emplace_back(*std::move(text));
  return true;
}

void FolderReader::read_records(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return note("raw.jsonl", text.fault().message);
  std::size_t number = 0;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    read_record(std::string_view(*text).substr(at, end - at), ++number);
    at = end + 1;
  }
}

void FolderReader::read_record(std::string_view line, std::size_t number) {
  const std::string where = "raw.jsonl, line " + std::to_string(number);
  TraceRecord record;
  record.line = number;
  record.meta = OrderedJson::parse(line.begin(), line.end(), nullptr, false);
  if (line.find_first_not_of(" \r") == line.npos || (number == 1 && record.meta.contains("string_table")))
    return;
  if (!record.meta.is_object()) return note(where, "the record's JSON is broken");
  const std::string name = trace_text(record.meta, "payload_filename");
  if (!name.empty() && TraceReader::wants_payload(record.meta)) {
    const fs::path file = fs::path(name).lexically_normal();
    const bool is_inside = !file.is_absolute() && !file.empty() && *file.begin() != "..";
    if (!is_inside) return note(where, "the record's file lies outside the folder");
    if (!load(root_ / file, record)) return;
  }
  reader_.take(record);
}

/// Appends the payload files of one compilation's folder, such as "inductor_post_grad_graph_12.txt".
void FolderReader::list(const fs::path& folder, std::vector<PayloadFile>& files) {
  std::error_code fault;
  for (auto at = fs::directory_iterator(folder, fault); !fault && at != fs::directory_iterator();
       at.increment(fault)) {
    std::string name = at->path().filename().string();
    for (const std::string_view ending : {".gz", ".txt", ".html"})
      if (name.ends_with(ending)) name.resize(name.size() - ending.size());
    const std::size_t line = name.rfind('_');
    const auto number =
        line == name.npos ? std::nullopt : folder_number(std::string_view(name).substr(line + 1));
    if (!number) continue;
    PayloadFile file{*number, at->path(), folder_meta(folder)};
    constexpr const char* kCode = "inductor_output_code";  // followed by the name of the generated file
    file.meta["artifact"] = {{"name", name.starts_with(kCode) ? kCode : name.substr(0, line)}};
    files.push_back(std::move(file));
  }
  if (fault) note(folder.lexically_relative(root_).string(), "cannot be listed: " + fault.message());
}

void FolderReader::read_payloads() {
  std::vector<PayloadFile> files;
  std::error_code fault;
  list(root_, files);
  for (auto at = fs::directory_iterator(root_, fault); !fault && at != fs::directory_iterator();
       at.increment(fault)) {
    std::error_code unreadable;
    if (at->is_directory(unreadable) && is_compilation_folder(at->path().filename().string()))
      list(at->path(), files);
  }
  std::sort(files.begin(), files.end(), [](const PayloadFile& a, const PayloadFile& b) {
    return std::pair(a.number, a.path) < std::pair(b.number, b.path);
  });
  for (PayloadFile& file : files) {
    TraceRecord record;
    record.line = static_cast<std::size_t>(file.number) + 1;
    record.meta = std::move(file.meta);
    if (!TraceReader::wants_payload(record.meta) || load(file.path, record)) reader_.take(record);
  }
}

}  // namespace

bool is_compilation_folder(std::string_view name) {
  const auto parts = split_at_lines(name);
  if (parts.size() == 2 && parts[0] == "unknown") return folder_number(parts[1]).has_value();
  return (parts.size() == 3 || parts.size() == 4) &&
         std::all_of(parts.begin(), parts.end(),
                     [](std::string_view part) { return part == "-" || folder_number(part); });
}

TraceLog read_tlparse_folder(const std::string& path) { return FolderReader(path).read(); }

}  // namespace noclobber
