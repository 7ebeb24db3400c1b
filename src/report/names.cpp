#include "src/report/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace noclobber {

std::string_view status_name(Status status) {
  switch (status) {
    case Status::unknown:
      return "unknown";
    case Status::proved:
      return "proved";
    case Status::refuted:
      return "refuted";
    case Status::error:
      return "error";
  }
  return "error";
}

namespace {

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

/// The length of the UTF-8 sequence at `at`; 0 if it is invalid (overlong, surrogate, truncated, beyond
/// U+10FFFF).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const unsigned char lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte_at(text, at + k) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte_at(text, at + 1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool beyond = (lead == 0xed && second >= 0xa0) || (lead == 0xf4 && second >= 0x90);
  return overlong || beyond ? 0 : length;
}

bool is_control(std::string_view text, std::size_t at, std::size_t length) {
  const unsigned char lead = byte_at(text, at);
  if (length == 1) return lead < 0x20 || lead == 0x7f;
  if (length == 2) return lead == 0xc2 && byte_at(text, at + 1) < 0xa0;  // C1: some terminals execute them
  if (length != 3 || lead != 0xe2) return false;
  const unsigned char second = byte_at(text, at + 1), third = byte_at(text, at + 2);
  const bool embedding = second == 0x80 && ((third >= 0xaa && third <= 0xae) || third == 0x8b ||
                                            third == 0x8e || third == 0x8f || third == 0xa8 || third == 0xa9);
  return embedding || (second == 0x81 && third >= 0xa6 && third <= 0xa9);  // bidirectional isolates
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) {
      out += '?';
      ++at;
      continue;
    }
    if (is_control(text, at, length)) {
      for (std::size_t k = 0; k < length; ++k) out += fmt::format("\\x{:02x}", byte_at(text, at + k));
    } else {
      out += text.substr(at, length);
    }
    at += length;
  }
  return out;
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string shortened(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    if ((byte_at(text, at) & 0xc0) != 0x80 && ++seen == width) break;
  }
  return std::string(text.substr(0, at)) + "…";
}

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// The four parts of "{compiled_autograd}_{frame}_{frame_compile}_{attempt}".
std::optional<std::array<std::string_view, 4>> compile_id(std::string_view text) {
  std::array<std::string_view, 4> parts;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t end = k == 3 ? text.size() : text.find('_');
    if (end == std::string_view::npos) return std::nullopt;
    parts[k] = text.substr(0, end);
    if (parts[k] != "-" && !is_number(parts[k])) return std::nullopt;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace

std::string shown_id(std::string_view id) {
  std::string_view rest = id, rank;
  if (rest.starts_with("rank_") && rest.find('/') != std::string_view::npos) {
    rank = rest.substr(5, rest.find('/') - 5);
    rest.remove_prefix(rest.find('/') + 1);
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const auto parts = compile_id(rest.substr(0, slash));
  if (!parts) return printable(id);
  const auto& [autograd, frame, compile, attempt] = *parts;
  std::string out = rank.empty() ? "[" : fmt::format("rank {} [", rank);
  if (autograd != "-") out += fmt::format("!{}/", autograd);
  out += fmt::format("{}/{}", frame, compile);
  if (attempt != "0" && attempt != "-") out += fmt::format("_{}", attempt);
  out += "]";
  std::string what = slash < rest.size() ? std::string(rest.substr(slash + 1)) : "";
  std::ranges::replace(what, '_', '-');
  return printable(what.empty() ? out : out + " " + what);
}

std::string some_of(const std::vector<std::string>& items, std::size_t shown) {
  const auto end = items.begin() + static_cast<std::ptrdiff_t>(std::min(shown, items.size()));
  std::string out = fmt::format("{}", fmt::join(items.begin(), end, ", "));
  if (items.size() > shown) out += fmt::format(" and {} more", items.size() - shown);
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string type_in(const Finding& finding, const std::string& name) {
  for (const auto& [of, type] : finding.types)
    if (of == name) return type;
  return "";
}

}  // namespace noclobber
