// Scans the words, numbers and texts of a certificate in order.
#pragma once
#include <charconv>
#include <stdexcept>

#include "checker/kernel/certificate.h"
#include "checker/text/hash.h"

namespace noclobber::checker {

/// Thrown if the text is no certificate. The message says what was expected, and where.
struct Unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Scanner {
 protected:
  /// `exact`: words and numbers may be separated and written in one way only.
  Scanner(std::string_view text, bool exact)
      : exact_(exact), begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  [[noreturn]] void fail(const char* wanted) {
    throw Unreadable("line " + std::to_string(1 + std::count(begin_, at_, '\n')) + ", byte " +
                     std::to_string(at_ - begin_) + ": expected " + wanted);
  }
  void require(bool is, const char* wanted) {
    if (!is) fail(wanted);
  }
  bool blank() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n')) ++at_;
    return at_ == end_;
  }
  /// Skips the one character that separates words: a line's end before a line, else a blank.
  void apart(char by = ' ') {
    if (!exact_) return void(blank());
    require(at_ != end_ && *at_ == by, by == ' ' ? "one blank" : "a line's end");
    ++at_;
  }
  void line() {
    if (at_ != begin_) apart('\n');
  }
  std::string_view word() {
    const char* const first = at_;
    while (at_ != end_ && *at_ != ' ' && *at_ != '\n') ++at_;
    return {first, at_};
  }
  /// A word at the beginning of a line.
  void expect(const char* wanted) { line(), require(word() == wanted, wanted); }
  /// Reads digits up to a blank or a line's end; `text`: the length of a text, up to its colon.
  template <class T = std::uint32_t> T integer(bool text = false) {
    apart();
    const bool one = !text && end_ - at_ > 1 && *at_ >= '0' && *at_ <= '9';
    if (one && (at_[1] == ' ' || at_[1] == '\n')) return static_cast<T>(*at_++ - '0');  // most numbers
    T out = 0;
    const auto [digit, fault] = std::from_chars(at_, end_, out);
    const char* const first = at_ != end_ && *at_ == '-' ? at_ + 1 : at_;
    require(!exact_ || fault != std::errc() || *first != '0' || (digit == at_ + 1),
            "a number without needless zeros");
    const bool ended = digit == end_ ? !text : text ? *digit == ':' : *digit == ' ' || *digit == '\n';
    require(fault == std::errc() && ended, text ? "a text" : "a number");
    at_ = digit;
    return out;
  }
  std::string_view text() {
    const auto length = integer<std::size_t>(true);
    require(length < static_cast<std::size_t>(end_ - at_), "a text");
    at_ += 1 + length;
    return {at_ - length, length};
  }
  bool flag() {
    const auto out = integer();
    require(out <= 1, "0 or 1");
    return out == 1;
  }
  template <class T> T kind(T last) {
    const auto out = integer();
    require(out <= static_cast<std::uint32_t>(last), "a smaller kind");
    return static_cast<T>(out);
  }
  /// Reads the length of a list. Each entry takes at least two bytes, which bounds it.
  std::size_t size() {
    const auto out = integer<std::size_t>();
    require(out <= static_cast<std::size_t>(end_ - at_) / 2, "a shorter list");
    return out;
  }
  void times(auto&& each) {
    for (std::size_t n = size(); n > 0; --n) each();
  }
  /// Reads a list with `each`. Reserves at most four times as many bytes as the text has left.
  template <class T> void fill(std::vector<T>& out, auto&& each) {
    std::size_t n = size();
    out.reserve(std::min(n, static_cast<std::size_t>(end_ - at_) * 4 / sizeof(T)));
    for (; n > 0; --n) out.push_back(each());
  }
  auto list(auto&& each) {
    std::vector<decltype(each())> out;
    return fill(out, each), out;
  }
  auto maybe(auto&& each) { return flag() ? std::optional(each()) : std::nullopt; }
  void about(Answer& out) {
    expect("about");
    out.about = text();
    expect("inputs");
    times([&] {
      const auto hash = text();
      out.inputs.emplace_back(hash, text());
    });
  }
  void assumptions(Answer& out) {
    expect("assumptions");
    times([&] { out.assumptions.emplace_back(text()); });
  }
  void ends() {
    const char* const summed = std::min(at_ + 1, end_);
    expect("sum"), apart();
    require(word() == checksum({begin_, summed}), "the sum of all that stands before it");
    line();
    require(exact_ ? at_ == end_ : blank(), "the end");
  }

  bool exact_;
  const char *begin_, *at_, *end_;
};

}  // namespace noclobber::checker
