// The name of an element type, stored as a number.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace noclobber {

/// "f32", "token", ... Converts to a string that lives as long as the program. At most 255 names exist.
class ElementType {
 public:
  ElementType() = default;  // ""
  template <class T>
  requires std::convertible_to<const T&, std::string_view> ElementType(const T& name)  // NOLINT: implicit
      : number_(number_of(name)) {}

  const std::string& operator*() const;
  const std::string* operator->() const { return &**this; }
  operator const std::string&() const { return **this; }  // NOLINT: implicit on purpose
  /// Equal for equal names, within one run of the program.
  std::uint16_t number() const { return number_; }
  friend bool operator==(const ElementType&, const ElementType&) = default;

 private:
  static std::uint16_t number_of(std::string_view name);
  std::uint16_t number_ = 0;
};

}  // namespace noclobber
