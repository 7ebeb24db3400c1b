// A cursor in FX text: its position, its line, and the first fault.
//
// After a fault the cursor stands at the end of the text, so every loop over it ends.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "src/base/result.h"

namespace noclobber {

constexpr bool is_fx_digit(char c) { return c >= '0' && c <= '9'; }
/// Letters, `_`, and every byte outside ASCII, as Python's identifiers have them.
constexpr bool is_fx_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_fx_identifier(std::string_view text);

class FxCursor {
 public:
  explicit FxCursor(std::string_view text) : text_(text) {}

  bool failed() const { return fault_.has_value(); }
  const Diagnostic& fault() const { return *fault_; }
  /// Records a fault at the current place, unless there is one already.
  void fail(std::string message) { fail_at(at_, std::move(message)); }
  /// The same at offset `at`. Counts lines, so the first call is linear in the text.
  void fail_at(std::size_t at, std::string message);

  std::size_t at() const { return at_; }
  /// Moves back to an earlier place of the current line.
  void back_to(std::size_t at) {
    if (!failed()) at_ = at;
  }
  int line() const { return line_; }
  bool at_end() const { return at_ >= text_.size(); }
  /// The character `ahead` of the current one; NUL after the end.
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  /// The text from an earlier place up to the cursor.
  std::string_view since(std::size_t start) const { return text_.substr(start, at_ - start); }
  std::string_view rest() const { return text_.substr(at_); }
  bool starts_with(std::string_view token) const { return rest().starts_with(token); }

  bool take(char c);
  bool take(std::string_view token);
  void expect(char c);
  /// Takes `token` if it is a whole word: "return" but not "return_1".
  bool take_word(std::string_view token);
  /// Skips spaces, tabs and carriage returns.
  void skip_blanks();
  /// Skips blanks, line ends and comments, which may separate tokens inside brackets.
  void skip_all();
  /// Takes everything up to the line end, which itself stays.
  std::string_view rest_of_line();
  /// Skips the rest of the line and its end. ensure: at a line's start or at the end of the text.
  void next_line();
  /// An identifier; empty if there is none here.
  std::string_view identifier();
  /// identifier { "." identifier }; empty if there is none here.
  std::string_view path();
  /// A string literal with either quote, escapes resolved to UTF-8.
  std::string string_literal();

 private:
  void count_line();
  void escape(std::string& out);
  std::uint32_t hex(int digits);

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::optional<Diagnostic> fault_;
};

}  // namespace noclobber
