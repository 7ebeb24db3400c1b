// A value that is almost always empty, in the room of a pointer.
#pragma once
#include <compare>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace noclobber {

/// Reads as a `const T&`; `T()` where nothing was given. T is a text or another container.
template <class T>
class Rare {
 public:
  Rare() = default;
  template <class U>
  requires(std::constructible_from<T, U> && !std::same_as<std::remove_cvref_t<U>, Rare>) Rare(U&& value)
      : Rare(std::in_place, T(std::forward<U>(value))) {}  // NOLINT: implicit on purpose
  Rare(const Rare& other) : at_(other.at_ ? std::make_unique<T>(*other.at_) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& other) { return *this = Rare(other); }
  Rare& operator=(Rare&&) noexcept = default;
  ~Rare() = default;

  const T& operator*() const {
    static const T nothing{};
    return at_ ? *at_ : nothing;
  }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT: implicit on purpose
  operator std::string_view() const             // NOLINT: implicit on purpose
      requires std::same_as<T, std::string> {
    return **this;
  }
  auto begin() const { return (**this).begin(); }
  auto end() const { return (**this).end(); }
  std::size_t size() const { return at_ ? at_->size() : 0; }
  bool empty() const { return !at_ || at_->empty(); }
  T& edit() {
    if (!at_) at_ = std::make_unique<T>();
    return *at_;
  }

  friend bool operator==(const Rare& a, const Rare& b) { return *a == *b; }
  friend auto operator<=>(const Rare& a, const Rare& b) { return *a <=> *b; }
  template <class U>
  requires(!std::same_as<U, Rare>) friend bool operator==(const Rare& a, const U& b) { return *a == b; }
  friend T operator+(const T& a, const Rare& b) requires std::same_as<T, std::string> { return a + *b; }
  friend T operator+(const Rare& a, const T& b) requires std::same_as<T, std::string> { return *a + b; }

 private:
  Rare(std::in_place_t, T&& value) : at_(value.empty() ? nullptr : std::make_unique<T>(std::move(value))) {}

  std::unique_ptr<T> at_;
};

}  // namespace noclobber
