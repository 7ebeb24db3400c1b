#include "src/text/cursor.h"

#include <algorithm>
#include <array>
#include <utility>

namespace noclobber {
namespace {

void append_fx_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

bool is_fx_identifier(std::string_view text) {
  if (text.empty() || is_fx_digit(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return is_fx_letter(c) || is_fx_digit(c); });
}

void FxCursor::fail_at(std::size_t at, std::string message) {
  if (fault_) return;
  at = std::min(at, text_.size());
  const std::string_view before = text_.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  fault_ = Diagnostic{"line " + std::to_string(line) + ", column " + std::to_string(at - start + 1),
                      std::move(message)};
  at_ = text_.size();
}

bool FxCursor::take(char c) {
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool FxCursor::take(std::string_view token) {
  if (!starts_with(token)) return false;
  at_ += token.size();
  return true;
}

void FxCursor::expect(char c) {
  if (take(c)) return;
  if (at_end()) return fail(std::string("the text ends where '") + c + "' is expected");
  fail(std::string("expected '") + c + "'");
}

bool FxCursor::take_word(std::string_view token) {
  if (!starts_with(token)) return false;
  const char next = peek(token.size());
  if (is_fx_letter(next) || is_fx_digit(next)) return false;
  at_ += token.size();
  return true;
}

void FxCursor::skip_blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
}

void FxCursor::count_line() {
  ++at_;
  ++line_;
}

void FxCursor::skip_all() {
  while (!at_end()) {
    skip_blanks();
    if (peek() == '#') rest_of_line();
    if (at_end() || text_[at_] != '\n') return;
    count_line();
  }
}

std::string_view FxCursor::rest_of_line() {
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string_view line = text_.substr(at_, end - at_);
  at_ = end;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void FxCursor::next_line() {
  rest_of_line();
  if (!at_end()) count_line();
}

std::string_view FxCursor::identifier() {
  if (at_end() || !is_fx_letter(text_[at_])) return {};
  const std::size_t start = at_;
  static constexpr auto kGoesOn = [] {
    std::array<bool, 256> out{};
    for (std::size_t c = 0; c < out.size(); ++c)
      out[c] = is_fx_letter(static_cast<char>(c)) || is_fx_digit(static_cast<char>(c));
    return out;
  }();
  const auto goes_on = [](char c) { return kGoesOn[static_cast<unsigned char>(c)]; };
  const std::string_view rest = text_.substr(at_);
  at_ += static_cast<std::size_t>(std::ranges::find_if_not(rest, goes_on) - rest.begin());
  return text_.substr(start, at_ - start);
}

std::string_view FxCursor::path() {
  const std::size_t start = at_;
  if (identifier().empty()) return {};
  while (peek() == '.' && is_fx_letter(peek(1))) {
    ++at_;
    identifier();
  }
  return text_.substr(start, at_ - start);
}

std::uint32_t FxCursor::hex(int digits) {
  std::uint32_t code = 0;
  for (int i = 0; i < digits; ++i) {
    const char c = peek();
    const bool upper = c >= 'A' && c <= 'F', lower = c >= 'a' && c <= 'f';
    if (!is_fx_digit(c) && !upper && !lower) {
      fail("a hexadecimal digit is missing");
      return 0;
    }
    code = code * 16 + static_cast<std::uint32_t>(is_fx_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    ++at_;
  }
  if (code > 0x10ffff) fail("no such character");
  return code;
}

void FxCursor::escape(std::string& out) {
  const char c = peek();
  if (at_end()) return fail("the text ends inside a string");
  ++at_;
  switch (c) {
    case 'n':
      out += '\n';
      return;
    case 't':
      out += '\t';
      return;
    case 'r':
      out += '\r';
      return;
    case 'a':
      out += '\a';
      return;
    case 'b':
      out += '\b';
      return;
    case 'f':
      out += '\f';
      return;
    case 'v':
      out += '\v';
      return;
    case '0':
      out += '\0';
      return;
    case 'x':
      return append_fx_utf8(out, hex(2));
    case 'u':
      return append_fx_utf8(out, hex(4));
    case 'U':
      return append_fx_utf8(out, hex(8));
    case '\\':
    case '\'':
    case '"':
      out += c;
      return;
    case '\n':  // a continued line
      ++line_;
      return;
    default:  // Python keeps an unknown escape as it is
      (out += '\\') += c;
  }
}

std::string FxCursor::string_literal() {
  const char quote = peek();
  const std::string_view stops = quote == '"' ? "\"\\\n" : "'\\\n";
  std::string out;
  ++at_;
  while (!failed()) {
    const std::size_t stop = std::min(text_.find_first_of(stops, at_), text_.size());
    out.append(text_.substr(at_, stop - at_));
    at_ = stop;
    if (take(quote)) return out;
    if (!take('\\')) fail("a string has no end");
    if (!failed()) escape(out);
  }
  return out;
}

}  // namespace noclobber
