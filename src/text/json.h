// Strict JSON for readers: a document, pointers into it, and the first fault that was met.
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

/// Reads one JSON text. Refused beside syntax: a key given twice in one object, integers beyond 64 bits,
/// nesting deeper than 200. error: `where` is "line N, column M", or a JSON pointer.
Result<OrderedJson> parse_strict_json(std::string_view text);

/// A place in a document; lives on the stack as long as its parent does.
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

/// `value` on one line, cut after 60 characters, in ASCII.
std::string show(const OrderedJson& value);

/// A name in messages: 'q'.
std::string in_quotes(const std::string& name);

/// Typed access that records the first fault and goes on with a harmless value, so that callers read as
/// lists of fields. Whoever loops over user input stops when `failed()`.
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
  /// Which of `choices` it is; 0 after a fault.
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
