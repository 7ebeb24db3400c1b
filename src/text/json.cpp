#include "src/text/json.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/text/plain_json.h"

namespace noclobber {
namespace {

constexpr std::size_t kDeepestJson = 200;

// "line N, column M" of a byte, both from 1.
std::string line_and_column(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? at + 1 : at - newline;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c >= ' ' && c < 0x7f) result += c;
  }
  return result;
}

// Receives the events of nlohmann's parser, which keeps its own stack on the heap. Every handler returns
// false once something is wrong, which ends the parse.
class StrictJsonBuilder {
 public:
  explicit StrictJsonBuilder(std::string_view text) : text_(text) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(OrderedJson::number_integer_t value) { return add(value); }
  bool number_unsigned(OrderedJson::number_unsigned_t value) {
    if (value > static_cast<OrderedJson::number_unsigned_t>(INT64_MAX))
      return fail("integer does not fit 64 bits");
    return add(static_cast<OrderedJson::number_integer_t>(value));
  }
  // The parser reports integers that fit no integer type as floats, with their text.
  bool number_float(OrderedJson::number_float_t value, const std::string& spelled) {
    if (spelled.find_first_of(".eE") == std::string::npos) return fail("integer does not fit 64 bits");
    return add(value);
  }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(OrderedJson::binary_t&) { return fail("binary data in JSON"); }
  bool start_object(std::size_t) { return open(OrderedJson::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(OrderedJson::array()); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    Open& top = open_.back();
    const bool again = top.names.met(top.node->get_ref<const OrderedJson::object_t&>(), name);
    top.key = std::move(name);
    return !again || fail("key " + show(top.key) + " is given twice in one object");
  }
  template <class Exception>
  bool parse_error(std::size_t position, const std::string&, const Exception& error) {
    std::string_view what = error.what();
    const std::size_t detail = what.find(": ");
    if (detail != std::string_view::npos) what.remove_prefix(detail + 2);
    what = what.substr(0, what.find("; last read"));
    fault_ =
        Diagnostic{line_and_column(text_, position == 0 ? 0 : position - 1), "not JSON: " + printable(what)};
    return false;
  }

  OrderedJson take() { return std::move(root_); }
  const std::optional<Diagnostic>& fault() const { return fault_; }

 private:
  struct Open {
    OrderedJson* node = nullptr;
    std::string key = {};  // of the member that is being read
    MemberNames names = {};
  };

  // Inserts the next value. Open nodes do not move: their parents grow only after they are closed.
  OrderedJson* place(OrderedJson&& value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Open& top = open_.back();
    if (top.node->is_array()) {
      top.node->get_ref<OrderedJson::array_t&>().push_back(std::move(value));
      return &top.node->back();
    }
    auto& members = top.node->get_ref<OrderedJson::object_t&>();
    make_room(members);
    return &members.emplace_back(std::move(top.key), std::move(value)).second;
  }
  bool add(OrderedJson&& value) {
    place(std::move(value));
    return true;
  }
  bool open(OrderedJson&& value) {
    if (open_.size() >= kDeepestJson) return fail("nested too deep");
    OrderedJson* node = place(std::move(value));
    open_.push_back({node});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  bool fail(std::string message) { return fail_at(0, JsonAt(), std::move(message)); }
  // A fault at the value that is being read; its pointer is built from the root down.
  bool fail_at(std::size_t level, const JsonAt& at, std::string message) {
    if (level == open_.size()) {
      fault_ = Diagnostic{at.pointer(), std::move(message)};
      return false;
    }
    const Open& here = open_[level];
    const bool last = level + 1 == open_.size();
    if (here.node->is_object()) {
      const std::string& name =
          last ? here.key : here.node->get_ref<const OrderedJson::object_t&>().back().first;
      return fail_at(level + 1, JsonAt(at, name), std::move(message));
    }
    return fail_at(level + 1, JsonAt(at, here.node->size() - (last ? 0 : 1)), std::move(message));
  }

  std::string_view text_;
  OrderedJson root_;
  std::vector<Open> open_;
  std::optional<Diagnostic> fault_;
};

}  // namespace

Result<OrderedJson> parse_strict_json(std::string_view text) {
  if (auto plain = read_plain_json(text)) return *std::move(plain);
  StrictJsonBuilder builder(text);
  const bool good = OrderedJson::sax_parse(text.begin(), text.end(), &builder);
  if (builder.fault()) return *builder.fault();
  if (!good) return Diagnostic{"line 1, column 1", "not JSON"};
  return builder.take();
}

std::string JsonAt::pointer() const {
  std::vector<const JsonAt*> way;
  for (const JsonAt* at = this; at->up_ != nullptr; at = at->up_) way.push_back(at);
  std::string result;
  for (auto at = way.rbegin(); at != way.rend(); ++at) {
    result += '/';
    if ((*at)->is_index_) {
      result += std::to_string((*at)->index_);
      continue;
    }
    for (const char c : (*at)->key_) {
      const bool control = (c >= 0 && c < ' ') || c == 0x7f;
      if (c == '~') {
        result += "~0";
      } else if (c == '/') {
        result += "~1";
      } else if (control) {
        const std::string escaped = OrderedJson(std::string(1, c)).dump(-1, ' ', true);
        result += escaped.substr(1, escaped.size() - 2);
      } else {
        result += c;
      }
    }
  }
  return result;
}

std::string show(const OrderedJson& value) {
  std::string text;
  if (value.is_structured() && value.size() > 8) {
    text = value.is_array() ? "an array" : "an object";  // printing all of it only to cut it would be slow
    return text + " of " + std::to_string(value.size());
  }
  text = value.dump(-1, ' ', true, OrderedJson::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

std::string in_quotes(const std::string& name) {
  const std::string text = show(name);
  return "'" + text.substr(1, text.size() - (text.ends_with('"') ? 2 : 1)) + "'";
}

void JsonFaults::fail(const JsonAt& at, std::string message) {
  if (!first_) first_ = Diagnostic{at.pointer(), std::move(message)};
}

bool JsonFaults::object(const OrderedJson& value, const JsonAt& at) {
  if (!value.is_object()) fail(at, "expected an object, got " + show(value));
  return value.is_object();
}

bool JsonFaults::array(const OrderedJson& value, const JsonAt& at) {
  if (!value.is_array()) fail(at, "expected an array, got " + show(value));
  return value.is_array();
}

std::string JsonFaults::text(const OrderedJson& value, const JsonAt& at) {
  if (value.is_string()) return value.get<std::string>();
  fail(at, "expected a string, got " + show(value));
  return {};
}

bool JsonFaults::boolean(const OrderedJson& value, const JsonAt& at) {
  if (value.is_boolean()) return value.get<bool>();
  fail(at, "expected true or false, got " + show(value));
  return false;
}

std::int64_t JsonFaults::integer(const OrderedJson& value, const JsonAt& at) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  fail(at, "expected an integer, got " + show(value));
  return 0;
}

std::size_t JsonFaults::one_of(const OrderedJson& value, const JsonAt& at,
                               std::span<const std::string_view> choices) {
  std::string allowed;
  for (std::size_t choice = 0; choice < choices.size(); ++choice) {
    if (value.is_string() && value.get_ref<const std::string&>() == choices[choice]) return choice;
    allowed += (choice == 0 ? "" : ", ") + std::string(choices[choice]);
  }
  fail(at, show(value) + " is not one of " + allowed);
  return 0;
}

const OrderedJson* JsonFaults::required(const OrderedJson& object, const JsonAt& at, std::string_view key) {
  const OrderedJson* found = find_member(object, key);
  if (found == nullptr) fail(at, "missing field '" + std::string(key) + "'");
  return found;
}

const OrderedJson* find_member(const OrderedJson& object, std::string_view key) {
  for (const auto& [name, value] : object.get_ref<const OrderedJson::object_t&>()) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && !digit(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

}  // namespace noclobber
