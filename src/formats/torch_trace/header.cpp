#include "src/formats/torch_trace/header.h"

#include <charconv>
#include <string>
#include <utility>

namespace noclobber {
namespace {

using nlohmann::json;

/// Every function returns false at the first thing that is not plain.
class PlainHeader {
 public:
  explicit PlainHeader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool whole(json& out) {
    blank();
    if (at_ == end_ || *at_ != '{' || !object(out, 1)) return false;
    blank();
    return at_ == end_;
  }
  /// As whole(), but for a member of that name.
  bool looked_through(std::string_view name, bool& there) {
    blank();
    if (at_ == end_ || *at_ != '{') return false;
    ++at_;
    bool done = take('}');
    while (!done) {
      std::string_view key;
      bool escapes = false;
      blank();
      if (at_ == end_ || *at_ != '"' || !string(key, escapes) || escapes) return false;
      if (!take(':') || !skip(2) || !more('}', done)) return false;
      there = there || key == name;
    }
    blank();
    return at_ == end_;
  }

 private:
  static constexpr int kKept = 2;      // levels of objects
  static constexpr int kDeepest = 64;  // levels that are looked at
  static constexpr std::ptrdiff_t kDigits = 18;

  void blank() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
  }
  bool take(char c) {
    blank();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  /// Is there another item behind the one just read? `done`: the list ends instead.
  bool more(char close, bool& done) {
    blank();
    if (at_ == end_ || (*at_ != ',' && *at_ != close)) return false;
    done = *at_++ == close;
    return true;
  }
  bool word(std::string_view text) {
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, text.size()) != text)
      return false;
    at_ += text.size();
    return true;
  }

  static constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";

  /// At its first quote: what stands between the quotes.
  bool string(std::string_view& out, bool& escapes) {
    const char* const first = ++at_;
    escapes = false;
    for (; at_ != end_; ++at_) {
      const auto c = static_cast<unsigned char>(*at_);
      if (c == '"') break;
      if (c < 0x20 || c >= 0x80) return false;
      if (c != '\\') continue;
      escapes = true;
      if (++at_ == end_ || kEscapes.find(*at_) == kEscapes.npos) return false;
    }
    if (at_ == end_) return false;
    out = {first, static_cast<std::size_t>(at_ - first)};
    ++at_;
    return true;
  }
  bool string() {
    std::string_view text;
    bool escapes = false;
    return string(text, escapes);
  }
  bool string(std::string& out) {
    std::string_view text;
    bool escapes = false;
    if (!string(text, escapes)) return false;
    if (!escapes) {
      out = text;
      return true;
    }
    out.clear();
    for (std::size_t k = 0; k < text.size(); ++k)
      out += text[k] == '\\' ? kMeant[kEscapes.find(text[++k])] : text[k];
    return true;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  /// `whole`: has it no fraction?
  bool number(bool& whole) {
    if (*at_ == '-') ++at_;
    const char* const digits = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    if (at_ == digits || at_ - digits > kDigits || (*digits == '0' && at_ - digits > 1)) return false;
    whole = at_ == end_ || *at_ != '.';
    const char* const fraction = whole ? nullptr : ++at_;
    while (!whole && at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != fraction && (at_ == end_ || (*at_ != 'e' && *at_ != 'E'));
  }
  bool number() {
    bool whole = false;
    return number(whole);
  }
  bool number(json& out) {
    const char* const first = at_;
    bool whole = false;
    if (!number(whole)) return false;
    std::int64_t integer = 0;
    double real = 0;
    if (!whole) {
      std::from_chars(first, at_, real);
      out = real;
      return true;
    }
    std::from_chars(first, at_, integer);
    if (*first == '-')
      out = integer;
    else
      out = static_cast<std::uint64_t>(integer);
    return true;
  }

  bool skip(int depth) {
    blank();
    if (at_ == end_ || depth > kDeepest) return false;
    bool done = false;
    switch (*at_) {
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      case '[':
        ++at_;
        if (take(']')) return true;
        while (!done)
          if (!skip(depth + 1) || !more(']', done)) return false;
        return true;
      case '{':
        ++at_;
        if (take('}')) return true;
        while (!done) {
          blank();
          if (at_ == end_ || *at_ != '"' || !string() || !take(':') || !skip(depth + 1) || !more('}', done))
            return false;
        }
        return true;
      default:
        return number();
    }
  }

  bool scalar(json& out) {
    switch (*at_) {
      case '"':
        out = std::string();
        return string(out.get_ref<std::string&>());
      case 't':
        out = true;
        return word("true");
      case 'f':
        out = false;
        return word("false");
      case 'n':
        out = nullptr;
        return word("null");
      default:
        return number(out);
    }
  }

  /// `kept`: no item is a list or an object.
  bool list(json& out, bool& kept) {
    ++at_;
    out = json::array();
    if (take(']')) return true;
    for (bool done = false; !done;) {
      blank();
      if (at_ == end_) return false;
      kept = kept && *at_ != '[' && *at_ != '{';
      if (kept ? !scalar(out.emplace_back()) : !skip(kKept + 1)) return false;
      if (!more(']', done)) return false;
    }
    return true;
  }

  bool object(json& out, int level) {
    ++at_;
    out = json::object();
    if (take('}')) return true;
    for (bool done = false; !done;) {
      std::string key;
      blank();
      if (at_ == end_ || *at_ != '"' || !string(key) || !take(':')) return false;
      blank();
      if (at_ == end_) return false;
      json value;
      bool kept = true, good = false;
      if (*at_ == '{') {
        kept = level < kKept;
        good = kept ? object(value, level + 1) : skip(level + 1);
      } else {
        good = *at_ == '[' ? list(value, kept) : scalar(value);
      }
      if (!good || !more('}', done)) return false;
      if (kept) out[std::move(key)] = std::move(value);
    }
    return true;
  }

  const char *at_, *end_;
};

}  // namespace

std::optional<json> read_plain_header(std::string_view text) {
  json out;
  return PlainHeader(text).whole(out) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<bool> plain_header_has(std::string_view text, std::string_view name) {
  bool out = false;
  return PlainHeader(text).looked_through(name, out) ? std::optional(out) : std::nullopt;
}

}  // namespace noclobber
