// The return type of functions that can fail on user input: a value, or a Diagnostic that names the place.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "src/base/check.h"

namespace noclobber {

/// Why an input could not be read, and where: `where` is a JSON pointer ("/after/steps/3/args/1"),
/// "line 812, column 9", or empty. One line of text each, no newline.
struct Diagnostic {
  std::string where;
  std::string message;
  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Either a T or a Diagnostic. Accessing the one that it does not hold is an internal error.
template <class T>
class Result {
 public:
  Result(T value) : state_(std::move(value)) {}           // NOLINT: implicit on purpose
  Result(Diagnostic fault) : state_(std::move(fault)) {}  // NOLINT: implicit on purpose
  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return const_cast<T&>(std::as_const(*this).value()); }
  T&& operator*() && { return std::move(const_cast<T&>(std::as_const(*this).value())); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &**this; }
  const Diagnostic& fault() const {
    NC_CHECK(!*this, "fault() of a good result");
    return std::get<Diagnostic>(state_);
  }

 private:
  const T& value() const {
    NC_CHECK(static_cast<bool>(*this), "value of a bad result");
    return std::get<T>(state_);
  }
  std::variant<T, Diagnostic> state_;
};

}  // namespace noclobber
