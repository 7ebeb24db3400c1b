#include "src/inputs/format.h"

#include <algorithm>

namespace noclobber {
namespace {

constexpr std::size_t kSniffed = 65536;  // bytes
constexpr std::string_view kBlanks = " \t\r\n";

// The order matters: formats with magic bytes come before text, and objects that name their format before a
// case.
// clang-format off
constexpr const InputFormat* kFormats[] = {
    &kMlxFormat,
    &kPteFormat,
    &kPt2Format,
    &kPlanTableFormat,
    &kRecordingFormat,
    &kCaseFormat,
    &kThunderFormat,
    &kFxTextFormat,
    &kTorchTraceFormat,
};
// clang-format on

/// "case, plan, ... or TORCH_TRACE log"
std::string all_names() {
  std::string out;
  for (const InputFormat* format : kFormats) {
    const bool last = format == kFormats[std::size(kFormats) - 1];
    out += (out.empty() ? "" : last ? " or " : ", ") + std::string(format->name);
  }
  return out;
}

}  // namespace

std::string_view begin_of(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text = text.substr(0, kSniffed);
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

bool begins_with_line(std::string_view text, bool (*is_it)(std::string_view line)) {
  for (text = begin_of(text); !text.empty();) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (is_it(line)) return true;
    const bool preamble = line.empty() || line == "\r" || line.starts_with('#') || line.starts_with('@') ||
                          line.starts_with("import ") || line.starts_with("from ");
    if (!preamble) return false;
  }
  return false;
}

bool says_format(std::string_view text, std::string_view name) {
  constexpr std::string_view kKey = "\"format\"";
  for (std::size_t at = text.find(kKey); at != text.npos; at = text.find(kKey, at + 1)) {
    std::size_t behind = text.find_first_not_of(kBlanks, at + kKey.size());
    if (behind == text.npos || text[behind] != ':') continue;
    behind = text.find_first_not_of(kBlanks, behind + 1);
    if (behind == text.npos) return false;
    std::string_view value = text.substr(behind);
    if (!value.starts_with('"') || !value.substr(1).starts_with(name)) continue;
    value.remove_prefix(1 + name.size());
    if (value.starts_with('/') || value.starts_with("\\/")) return true;
  }
  return false;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
}

const InputFormat* format_of(std::string_view text) {
  const auto* const found =
      std::ranges::find_if(kFormats, [&](const InputFormat* f) { return f->begins(text); });
  return found == std::end(kFormats) ? nullptr : *found;
}

Result<Opened> open_file(FileText file) {
  if (const InputFormat* format = format_of(file.text)) return format->open(std::move(file));
  return Diagnostic{"", file.text.empty() ? "is empty" : "is no " + all_names()};
}

Result<Side> read_side(const std::string& text, bool is_before) {
  if (const InputFormat* format = format_of(text)) return format->side(text, is_before);
  return Diagnostic{"", text.empty() ? "is empty" : "is no case, no FX graph text and no exported program"};
}

}  // namespace noclobber
