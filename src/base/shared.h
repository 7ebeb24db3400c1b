// A copy-on-write value of the size of a pointer: for texts and lists that are mostly empty, or equal in many
// places.
#pragma once
#include <atomic>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <compare>
#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace noclobber {

struct NoItem {};
/// The item type of the list T; NoItem if T is no list.
template <class T>
auto item_of() {
  if constexpr (requires { typename T::value_type; })
    return std::type_identity<typename T::value_type>();
  else
    return std::type_identity<NoItem>();
}

/// A value with a reference count.
template <class T>
struct Counted : boost::intrusive_ref_counter<Counted<T>> {
  Counted() = default;
  explicit Counted(T items) : value(std::move(items)) {}
  T value;
};
/// Returns the value of `at` for writing, copied first if others share it. require: `at` is not null.
template <class T>
T& own(boost::intrusive_ptr<Counted<T>>& at) {
  if (at->use_count() != 1)
    at = new Counted<T>(at->value);
  else  // another thread may just have dropped the last other reference
    std::atomic_thread_fence(std::memory_order_acquire);
  return at->value;
}

/// Reads as a `const T&`; without a value, as `T()`. Copies share the value and may be used by several
/// threads.
template <class T>
class Shared {
 public:
  using value_type = typename decltype(item_of<T>())::type;
  Shared() = default;
  template <class U>
  requires(std::constructible_from<T, U> && !std::same_as<std::remove_cvref_t<U>, Shared>) Shared(U&& value)
      : Shared(std::in_place, T(std::forward<U>(value))) {}  // NOLINT: implicit on purpose
  Shared(std::initializer_list<value_type> items) : Shared(std::in_place, T(items)) {}

  const T& operator*() const {
    static const T nothing{};
    return at_ ? at_->value : nothing;
  }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT: implicit on purpose
  operator std::string_view() const             // NOLINT: implicit on purpose
      requires std::same_as<T, std::string> {
    return **this;
  }
  static constexpr bool kIsList = !std::same_as<value_type, NoItem>;
  auto begin() const requires kIsList { return (**this).begin(); }
  auto end() const requires kIsList { return (**this).end(); }
  auto rbegin() const { return (**this).rbegin(); }
  auto rend() const { return (**this).rend(); }
  std::size_t size() const { return at_ ? at_->value.size() : 0; }
  bool empty() const { return size() == 0; }
  decltype(auto) operator[](std::size_t k) const { return (**this)[k]; }
  decltype(auto) at(std::size_t k) const { return (**this).at(k); }
  decltype(auto) front() const { return (**this).front(); }
  decltype(auto) back() const { return (**this).back(); }
  /// Returns the value for writing. Other copies keep theirs.
  T& edit() {
    if (!at_) at_ = new Counted<T>();
    return own(at_);
  }
  /// Returns the items for writing. Other copies keep theirs.
  auto items() -> std::span<value_type> {
    if (empty()) return {};
    return edit();
  }
  void clear() { at_.reset(); }
  /// Appends the items of `more`.
  void append(const Shared& more) {
    if (empty()) {
      *this = more;
    } else if (!more.empty()) {
      T& items = edit();
      items.insert(items.end(), more.begin(), more.end());
    }
  }
  /// An identity: equal for copies that share one value, and different from that of any other value while one
  /// of them lives. nullptr: empty.
  const void* place() const { return at_.get(); }

  friend bool operator==(const Shared& a, const Shared& b) { return a.at_ == b.at_ || *a == *b; }
  friend auto operator<=>(const Shared& a, const Shared& b) { return *a <=> *b; }
  template <class U>
  requires(!std::same_as<U, Shared>) friend bool operator==(const Shared& a, const U& b) { return *a == b; }
  friend T operator+(const T& a, const Shared& b) requires std::same_as<T, std::string> { return a + *b; }
  friend T operator+(const Shared& a, const T& b) requires std::same_as<T, std::string> { return *a + b; }

 private:
  static bool is_nothing(const T& value) {
    if constexpr (requires { value.empty(); })
      return value.empty();
    else
      return value == T();
  }
  Shared(std::in_place_t, T&& value) : at_(is_nothing(value) ? nullptr : new Counted<T>(std::move(value))) {}

  boost::intrusive_ptr<Counted<T>> at_;
};

}  // namespace noclobber
