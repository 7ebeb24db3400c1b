// The words, numbers and texts of a certificate, taken one after the other. The first that is not as wanted
// ends the reading: all that is asked for after it is empty.
#pragma once
#include <algorithm>
#include <limits>

#include "checker/certificate.h"

namespace noclobber {

class Scanner {
 protected:
  explicit Scanner(std::string_view text) : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  void fail(const char* wanted) {
    if (good_) wanted_ = wanted;
    good_ = false;
  }
  void require(bool is, const char* wanted) {
    if (!is) fail(wanted);
  }
  bool blank() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n')) ++at_;
    return at_ == end_;
  }
  std::string_view word() {
    blank();
    const char* const first = at_;
    while (good_ && at_ != end_ && *at_ != ' ' && *at_ != '\n') ++at_;
    return {first, at_};
  }
  void expect(const char* wanted) { require(word() == wanted, wanted); }
  /// Digits, up to a blank; of a text's length, up to its colon.
  template <class T> T integer(bool text = false) {
    blank();
    const bool negative = std::is_signed_v<T> && at_ != end_ && *at_ == '-';
    const char* const first = at_ + (negative ? 1 : 0);
    const char* digit = first;
    std::uint64_t out = 0;  // below 10^19
    for (; digit != end_ && static_cast<unsigned char>(*digit - '0') < 10; ++digit)
      out = out * 10 + static_cast<unsigned char>(*digit - '0');
    const bool ended = digit == end_ ? !text : text ? *digit == ':' : *digit == ' ' || *digit == '\n';
    const auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max()) + (negative ? 1 : 0);
    const bool good = ended && digit != first && digit - first < 20 && out <= most;
    if (good) at_ = digit;
    require(good, text ? "a text" : "a number");
    return !good_ ? T{0} : static_cast<T>(negative ? 0 - out : out);
  }
  void value(std::string& out) {
    const auto length = integer<std::size_t>(true);
    if (good_ && length >= static_cast<std::size_t>(end_ - at_)) fail("a text");
    if (!good_) return;
    out.assign(at_ + 1, length);
    at_ += 1 + length;
  }
  /// Of a list: each entry takes at least two bytes.
  std::size_t size() {
    const auto out = integer<std::size_t>();
    require(out <= static_cast<std::size_t>(end_ - at_) / 2, "a shorter list");
    return good_ ? out : 0;
  }
  void times(auto&& each) {
    for (std::size_t n = size(); n > 0 && good_; --n) each();
  }
  /// What stands last. False: `fault` says what was wanted first, and where.
  bool ends(std::string& fault) {
    const char* const summed = std::min(at_ + 1, end_);
    expect("sum");
    require(word() == checksum({begin_, summed}), "the sum of all that stands before it");
    require(blank(), "the end");
    if (!good_) fault = "byte " + std::to_string(at_ - begin_) + ": expected " + wanted_;
    return good_;
  }

  const char *begin_, *at_, *end_, *wanted_ = "";
  bool good_ = true;
};

}  // namespace noclobber
