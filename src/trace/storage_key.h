// The name of a storage, stored as a pointer and a number.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/shared.h"

namespace noclobber {

/// A text. Keys that differ only in a trailing number, as "fresh 0" and "fresh 1", share the text before it.
class StorageKey {
 public:
  StorageKey() = default;
  template <class T>
  requires std::convertible_to<const T&, std::string_view> StorageKey(const T& text)  // NOLINT: implicit
      : StorageKey(split(text)) {}
  /// `before` followed by the number. Requires that `before` ends in no digit, and number < kNoNumber.
  StorageKey(Shared<std::string> before, std::uint32_t number)
      : before_(std::move(before)), number_(number) {}

  std::string text() const {
    std::string out = *before_;
    if (number_ != kNoNumber) out += std::to_string(number_);
    return out;
  }
  operator std::string() const { return text(); }  // NOLINT: implicit on purpose
  friend bool operator==(const StorageKey&, const StorageKey&) = default;

  static constexpr std::uint32_t kNoNumber = 1'000'000'000;

 private:
  static StorageKey split(std::string_view text);

  Shared<std::string> before_;
  std::uint32_t number_ = kNoNumber;
};

}  // namespace noclobber
