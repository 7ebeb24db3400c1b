#include "src/report/layout.h"

#include <algorithm>

namespace noclobber {

namespace {

constexpr std::size_t kLabelColumns = 9, kMargin = 2;
constexpr std::size_t kLeastColumns = 24;  // of text after the indentation, however narrow the terminal is
constexpr std::string_view kOff = "\x1b[0m";

/// The colour code in force after `text` if `code` is in force before it; "" for none.
std::string code_behind(std::string_view text, std::string code) {
  for (std::size_t at = text.find('\x1b'); at != text.npos; at = text.find('\x1b', at + 1)) {
    const std::string_view found = text.substr(at, text.find('m', at) - at + 1);
    code = found == kOff ? "" : std::string(found);
  }
  return code;
}

}  // namespace

std::size_t shown_columns(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b')
      at = std::min(text.find('m', at), text.size());
    else if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80)
      ++count;
  }
  return count;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t first) {
  const std::size_t limit = std::max(width, indent + kLeastColumns);
  std::string out, code;
  std::size_t column = first;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::size_t length = shown_columns(word);
    if (at > 0 && column + 1 + length > limit && column > indent) {
      out += code.empty() ? "" : kOff;
      out += "\n" + std::string(indent, ' ') + code;
      column = indent;
    } else if (at > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
    code = code_behind(word, std::move(code));
    at = end + 1;
  }
  return out;
}

std::string row(std::string_view label, std::string_view text, const Look& look) {
  const std::size_t gap = label.size() < kLabelColumns ? kLabelColumns - label.size() : 1;
  const std::size_t first = kMargin + label.size() + gap;
  return std::string(kMargin, ' ') + styled(label, Role::note, look.colour) + std::string(gap, ' ') +
         wrapped(text, look.width, kMargin + kLabelColumns, first) + "\n";
}

std::string joined(const std::vector<std::string>& parts, const Look& look, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (const std::string& part : parts) {
    const std::size_t length = shown_columns(part);
    if (out.empty()) {
      out = part;
      column += length;
    } else if (column + 3 + length <= look.width) {
      out += " · " + part;
      column += 3 + length;
    } else {
      out += "\n" + std::string(indent, ' ') + part;
      column = indent + length;
    }
  }
  return out;
}

}  // namespace noclobber
