#include "src/text/plain_json.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>

namespace noclobber {
namespace {

using json = OrderedJson;

constexpr std::size_t kLookedThrough = 16;  // members that are searched; of more, a set of names is kept

/// Every function returns false at the first thing that is not plain. A value may be read into an old value:
/// the memory of lists, and of objects with the same names, is reused.
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
  /// As whole(), but leaves out lists of that name in objects that are members of the whole.
  bool frame(std::string_view left_out, PlainFrame& out) {
    left_out_ = left_out;
    lists_ = &out.lists;
    return whole(out.json);
  }
  /// Reads the next item of a list that was left out. `left`: from the comma after the item on; "" if the
  /// list ends.
  bool next(json& out, std::string_view& left) {
    const bool first = *at_++ == '[';
    bool kept = true, done = first && take(']'), there = !done;
    blank();
    if (there && (at_ == end_ || !item(out, kListed, kept) || !more(']', done))) return false;
    left = done ? std::string_view() : std::string_view(at_ - 1, static_cast<std::size_t>(end_ - at_) + 1);
    return there;
  }
  /// As whole(), but keeps nothing: sets `there` if there is a member of that name.
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
  static constexpr int kKept = 2;      // levels of objects that a header keeps
  static constexpr int kDeepest = 64;  // levels that are read
  static constexpr int kListed = 3;    // the level of a list that a frame leaves out
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
  /// Takes the ',' or `close` after an item. `done`: it was `close`.
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

  /// True if eight characters are ASCII without quotes, backslashes and control characters.
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

  /// Reads a string from its first quote on. `out`: the raw text between the quotes.
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

  /// `whole`: set to true if it has neither fraction nor exponent.
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
        if (!kept) return true;
        if (!escapes && out.is_string())
          out.get_ref<std::string&>().assign(text);
        else
          out = said_by(text, escapes);
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

  /// `kept`: set to false if an item is a list, an object or a long text, unless all is kept.
  bool list(json& out, int level, bool& kept) {
    if (level > kDeepest) return false;
    ++at_;
    if (!out.is_array()) out = json::array();
    auto& items = out.get_ref<json::array_t&>();
    std::size_t count = 0;
    for (bool done = take(']'); !done; ++count) {
      blank();
      if (at_ == end_) return false;
      kept = kept && (keep_ == Keep::all || (*at_ != '[' && *at_ != '{'));
      if (kept && count == items.size()) items.emplace_back();
      if (kept ? !item(items[count], level, kept) : !skip(kKept + 1)) return false;
      if (!more(']', done)) return false;
    }
    if (count < items.size()) items.resize(count);
    return true;
  }

  /// Keeps a list as text.
  bool leave_out(json& out) {
    const char* const first = at_++;
    std::size_t count = 0;
    out = json::array();
    for (bool done = take(']'); !done; ++count)
      if (!skip(kListed + 1) || !more(']', done)) return false;
    lists_->emplace(section_, PlainList({first, static_cast<std::size_t>(at_ - first)}, count));
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
    if (!out.is_object()) out = json::object();
    auto& members = out.get_ref<json::object_t&>();
    const auto shrink = [&](std::size_t count) {
      while (members.size() > count) members.pop_back();
    };
    MemberNames names;
    std::size_t count = 0;
    for (bool done = take('}'); !done;) {
      std::string_view spelled;
      bool escapes = false, kept = true;
      blank();
      if (at_ == end_ || *at_ != '"' || !string(spelled, escapes) || !take(':')) return false;
      blank();
      if (at_ == end_) return false;
      const auto there = members.begin() + static_cast<std::ptrdiff_t>(count);
      if (there == members.end() || escapes || there->first != spelled) {
        shrink(count);
        std::string key = said_by(spelled, escapes);
        if (names.met(members, key)) return false;
        make_room(members);
        members.emplace_back(std::move(key), nullptr);
      }
      auto& [key, value] = *(members.begin() + static_cast<std::ptrdiff_t>(count));
      if (level == 1) section_ = key;
      const bool left_out = level == 2 && lists_ != nullptr && key == left_out_ && *at_ == '[';
      if (!(left_out ? leave_out(value) : item(value, level, kept)) || !more('}', done)) return false;
      if (kept)
        ++count;
      else
        shrink(count);
    }
    shrink(count);
    return true;
  }

  const char *at_, *end_;
  Keep keep_;
  std::string_view left_out_ = {};  // of a frame: the name of the lists that it leaves out
  std::string section_ = {};        // the member of the whole that is being read
  std::map<std::string, PlainList, std::less<>>* lists_ = nullptr;
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

std::optional<PlainFrame> read_plain_frame(std::string_view text, std::string_view left_out) {
  PlainFrame out;
  return PlainJson(text, PlainJson::Keep::all).frame(left_out, out) ? std::optional(std::move(out))
                                                                    : std::nullopt;
}

bool PlainList::next(json& item) {
  return !text_.empty() && PlainJson(text_, PlainJson::Keep::all).next(item, text_);
}

std::optional<bool> plain_header_has(std::string_view text, std::string_view name) {
  bool out = false;
  return PlainJson(text).looked_through(name, out) ? std::optional(out) : std::nullopt;
}

}  // namespace noclobber
