// A vector that stores its items inline while it has one or two of them.
#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace noclobber {

/// Like std::vector, with at most 2^32 - 1 items. Its size is that of one item or a pointer, whichever is
/// larger, plus eight bytes. Up to `kInside` items are stored inline. A moved-from list is empty.
template <class T>
class Few {
 public:
  using value_type = T;
  Few() {}
  Few(std::initializer_list<T> items) : Few(items.begin(), items.end()) {}
  template <class At>
  Few(At from, At to) {
    assign(from, to);
  }
  Few(const std::vector<T>& items) : Few(items.begin(), items.end()) {}  // NOLINT: implicit on purpose
  Few(const Few& other) : Few(other.begin(), other.end()) {}
  Few(Few&& other) noexcept { take(other); }
  Few& operator=(const Few& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  Few& operator=(Few&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~Few() { release(); }

  T* data() { return capacity_ > kInside ? many_ : inside_; }
  const T* data() const { return capacity_ > kInside ? many_ : inside_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t k) { return std::span(data(), size_)[k]; }
  const T& operator[](std::size_t k) const { return std::span(data(), size_)[k]; }
  T& at(std::size_t k) { return (*this)[k]; }
  const T& at(std::size_t k) const { return (*this)[k]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    T* const all = std::allocator<T>().allocate(count);
    std::uninitialized_move(begin(), end(), all);
    const std::uint32_t size = size_;
    release();
    many_ = all, size_ = size, capacity_ = static_cast<std::uint32_t>(count);
  }
  void push_back(T item) {
    if (size_ == capacity_) reserve(std::size_t{2} * capacity_);
    std::construct_at(data() + size_, std::move(item));
    ++size_;
  }
  T& emplace_back(auto&&... given) {
    push_back(T(std::forward<decltype(given)>(given)...));
    return back();
  }
  void resize(std::size_t count) {
    while (size_ > count) pop_back();
    reserve(count);
    while (size_ < count) emplace_back();
  }
  void pop_back() { erase(end() - 1); }
  T* erase(T* at) {
    std::move(at + 1, end(), at);
    std::destroy_at(end() - 1);
    --size_;
    return at;
  }
  T* erase(T* from, T* to) {
    while (to != from) erase(--to);
    return from;
  }
  void clear() {
    std::destroy(begin(), end());
    size_ = 0;
  }
  void assign(std::size_t count, const T& item) {
    clear();
    reserve(count);
    while (size_ < count) push_back(item);
  }
  /// require: the range is not part of this list.
  template <class At>
  void assign(At from, At to) {
    clear();
    reserve(static_cast<std::size_t>(std::distance(from, to)));
    for (; from != to; ++from) push_back(*from);
  }

  friend bool operator==(const Few& a, const Few& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend auto operator<=>(const Few& a, const Few& b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr std::uint32_t kInside = std::max<std::uint32_t>(1, sizeof(T*) / sizeof(T));
  void release() {
    std::destroy(begin(), end());
    if (capacity_ > kInside) std::allocator<T>().deallocate(many_, capacity_);
    size_ = 0, capacity_ = kInside;
  }
  /// Moves the items of `other` here. require: this list is empty and has no allocation.
  void take(Few& other) {
    if (other.capacity_ > kInside)
      many_ = other.many_, capacity_ = std::exchange(other.capacity_, kInside);
    else
      std::uninitialized_move(other.begin(), other.end(), inside_), std::destroy(other.begin(), other.end());
    size_ = std::exchange(other.size_, 0);
  }

  union {
    T inside_[kInside];  // if capacity_ == kInside; the first `size_` exist
    T* many_;
  };
  std::uint32_t size_ = 0, capacity_ = kInside;
};

}  // namespace noclobber
