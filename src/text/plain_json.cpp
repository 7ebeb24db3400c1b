#include "src/text/plain_json.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>

namespace noclobber {
namespace {

using json = OrderedJson;

constexpr std::size_t kLookedThrough = 16;  // members of an object; of more a set of their names is kept

/// Every function returns false at the first thing that is not plain.
class PlainJson {
 public:
  enum class Keep { header, all };
  explicit PlainJson(std::string_view text, Keep keep = Keep::header)
      : at_(text.data()), end_(text.data() + text.size()), keep_(keep) {}

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
  static constexpr int kKept = 2;      // levels of objects in a header
  static constexpr int kDeepest = 64;  // levels that are looked at
  static constexpr std::ptrdiff_t kDigits = 18, kExponent = 2;
  static constexpr std::size_t kLongest =
      1024;  // of texts with escapes that are kept: beyond are settings and stacks

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

  /// Is there no quote, backslash or control character among eight, and nothing beyond ASCII?
  static bool are_plain(const char* at) {
    constexpr std::uint64_t kEach = 0x0101010101010101, kHigh = 0x80 * kEach;
    std::uint64_t eight = 0;
    std::memcpy(&eight, at, sizeof eight);
    const auto below = [&](std::uint64_t bytes, std::uint64_t bound) {
      return (bytes - bound * kEach) & ~bytes;
    };
    return ((eight | below(eight, ' ') | below(eight ^ ('"' * kEach), 1) | below(eight ^ ('\\' * kEach), 1)) &
            kHigh) == 0;
  }

  /// At its first quote: what stands between the quotes.
  bool string(std::string_view& out, bool& escapes) {
    const char* const first = ++at_;
    escapes = false;
    while (end_ - at_ >= 8 && are_plain(at_)) at_ += 8;
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
  static std::string said_by(std::string_view text, bool escapes) {
    if (!escapes) return std::string(text);
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k)
      out += text[k] == '\\' ? kMeant[kEscapes.find(text[++k])] : text[k];
    return out;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  /// `whole`: has it neither fraction nor exponent?
  bool number(bool& whole) {
    if (*at_ == '-') ++at_;
    const char* const digits = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    if (at_ == digits || at_ - digits > kDigits || (*digits == '0' && at_ - digits > 1)) return false;
    whole = at_ == end_ || *at_ != '.';
    const char* const fraction = whole ? nullptr : ++at_;
    while (!whole && at_ != end_ && is_digit(*at_)) ++at_;
    if (at_ == fraction) return false;
    if (at_ == end_ || (*at_ != 'e' && *at_ != 'E')) return true;
    whole = false;
    if (++at_ != end_ && (*at_ == '-' || *at_ == '+')) ++at_;
    const char* const exponent = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != exponent && at_ - exponent <= kExponent;
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
      const bool fits = std::from_chars(first, at_, real).ec == std::errc();
      out = real;
      return fits;
    }
    std::from_chars(first, at_, integer);
    out = integer;
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

  bool scalar(json& out, bool& kept) {
    std::string_view text;
    bool escapes = false;
    switch (*at_) {
      case '"':
        if (!string(text, escapes)) return false;
        kept = !escapes || text.size() <= kLongest || keep_ == Keep::all;
        if (kept) out = said_by(text, escapes);
        return true;
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

  /// `kept`: no item is a list, an object or a long text.
  bool list(json& out, int level, bool& kept) {
    if (level > kDeepest) return false;
    ++at_;
    out = json::array();
    if (take(']')) return true;
    for (bool done = false; !done;) {
      blank();
      if (at_ == end_) return false;
      kept = kept && (keep_ == Keep::all || (*at_ != '[' && *at_ != '{'));
      if (kept ? !item(out.emplace_back(), level, kept) : !skip(kKept + 1)) return false;
      if (!more(']', done)) return false;
    }
    return true;
  }

  bool item(json& out, int level, bool& kept) {
    if (*at_ != '{') return *at_ == '[' ? list(out, level + 1, kept) : scalar(out, kept);
    kept = keep_ == Keep::all || level < kKept;
    return kept ? object(out, level + 1) : skip(level + 1);
  }

  bool object(json& out, int level) {
    if (level > kDeepest) return false;
    ++at_;
    out = json::object();
    if (take('}')) return true;
    auto& members = out.get_ref<json::object_t&>();
    MemberNames names;
    for (bool done = false; !done;) {
      std::string_view spelled;
      bool escapes = false;
      blank();
      if (at_ == end_ || *at_ != '"' || !string(spelled, escapes) || !take(':')) return false;
      blank();
      if (at_ == end_) return false;
      std::string key = said_by(spelled, escapes);
      if (names.met(members, key)) return false;
      make_room(members);
      bool kept = true;
      if (!item(members.emplace_back(std::move(key), nullptr).second, level, kept) || !more('}', done))
        return false;
      if (!kept) members.pop_back();
    }
    return true;
  }

  const char *at_, *end_;
  Keep keep_;
};

}  // namespace

bool MemberNames::met(const json::object_t& members, const std::string& name) {
  if (members.size() < kLookedThrough)
    return std::ranges::any_of(members, [&](const auto& one) { return one.first == name; });
  if (!all_) {
    all_ = std::make_unique<std::unordered_set<std::string>>();
    for (const auto& one : members) all_->insert(one.first);
  }
  return !all_->insert(name).second;
}

std::optional<json> read_plain_header(std::string_view text) {
  json out;
  return PlainJson(text).whole(out) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<json> read_plain_json(std::string_view text) {
  json out;
  return PlainJson(text, PlainJson::Keep::all).whole(out) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<bool> plain_header_has(std::string_view text, std::string_view name) {
  bool out = false;
  return PlainJson(text).looked_through(name, out) ? std::optional(out) : std::nullopt;
}

}  // namespace noclobber
