// Strict JSON for readers: a document, pointers into it, and the first fault.
#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/base/result.h"

namespace noclobber {

/// Members keep their order.
using OrderedJson = nlohmann::ordered_json;

/// Reads one JSON text. Besides syntax errors, it refuses a key given twice in one object, integers beyond 64
/// bits, and nesting deeper than 200. error: `where` is "line N, column M", or a JSON pointer.
Result<OrderedJson> parse_strict_json(std::string_view text);

/// A place in a document, kept on the stack. It refers to its parent, which must outlive it.
class JsonAt {
 public:
  JsonAt() = default;
  JsonAt(const JsonAt& up, std::string_view key) : up_(&up), key_(key) {}
  JsonAt(const JsonAt& up, std::size_t index) : up_(&up), index_(index), is_index_(true) {}
  JsonAt(const JsonAt&& up, std::string_view key) = delete;
  JsonAt(const JsonAt&& up, std::size_t index) = delete;
  /// RFC 6901, "" for the whole document; control characters in keys are escaped as in JSON.
  std::string pointer() const;

 private:
  const JsonAt* up_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
  bool is_index_ = false;
};

/// `value` on one line in ASCII, cut to 60 characters. Only the size of an array or object of more than 8
/// items.
std::string show(const OrderedJson& value);

/// A name in messages: 'q'.
std::string in_quotes(const std::string& name);

/// Typed access that records the first fault and continues with a default value, so that callers are plain
/// lists of fields. Loops over user input must stop when `failed()`.
class JsonFaults {
 public:
  void fail(const JsonAt& at, std::string message);
  bool failed() const { return first_.has_value(); }
  const Diagnostic& first() const { return *first_; }

  bool object(const OrderedJson& value, const JsonAt& at);
  bool array(const OrderedJson& value, const JsonAt& at);
  std::string text(const OrderedJson& value, const JsonAt& at);
  bool boolean(const OrderedJson& value, const JsonAt& at);
  std::int64_t integer(const OrderedJson& value, const JsonAt& at);
  /// The index in `choices`; 0 after a fault.
  std::size_t one_of(const OrderedJson& value, const JsonAt& at, std::span<const std::string_view> choices);
  /// A member that must be there, or nullptr after a fault. require: `object` is an object.
  const OrderedJson* required(const OrderedJson& object, const JsonAt& at, std::string_view key);

 private:
  std::optional<Diagnostic> first_;
};

/// A member, or nullptr. require: `object` is an object.
const OrderedJson* find_member(const OrderedJson& object, std::string_view key);

/// Letters, digits and '_', not beginning with a digit.
bool is_identifier(std::string_view text);

}  // namespace noclobber
