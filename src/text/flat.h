// FlatBuffers tables in untrusted bytes: every offset is checked before it is followed. The first fault is
// kept with its byte offset; every query after it returns an absent, zero or empty result.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/result.h"

namespace noclobber {

/// A table whose own bytes and vtable lie within the buffer. `at` 0: absent.
struct FlatTable {
  std::size_t at = 0, vtable = 0;
  std::uint16_t vtable_size = 0, size = 0;
  bool there() const { return at != 0; }
};

/// `count` elements that lie within the buffer, from byte `at`.
struct FlatVector {
  std::size_t at = 0, count = 0;
};

class FlatBytes {
 public:
  /// Vectors may share bytes, so the total number of their elements is bounded by 32 per byte of the buffer.
  /// `base`: offset of `bytes` in the file that faults refer to.
  explicit FlatBytes(std::string_view bytes, std::size_t base = 0)
      : bytes_(bytes), base_(base), budget_(bytes.size() * 32) {}

  bool failed() const { return fault_.has_value(); }
  const Diagnostic& fault() const { return *fault_; }
  void fail(std::size_t at, std::string message);
  void fail(Diagnostic fault) {
    if (!fault_) fault_ = std::move(fault);
  }

  FlatTable root();
  FlatTable table(const FlatTable& in, unsigned field);
  FlatTable table_at(const FlatVector& in, std::size_t k);
  FlatVector vector(const FlatTable& in, unsigned field, std::size_t element_size);
  std::string text(const FlatTable& in, unsigned field);
  /// A vector of bytes, as a view of the buffer.
  std::string_view bytes(const FlatTable& in, unsigned field);
  bool has(const FlatTable& in, unsigned field) { return place(in, field, 1) != 0; }
  std::size_t place_in_file(std::size_t at) const { return base_ + at; }

  template <class T>
  T scalar(const FlatTable& in, unsigned field, T fallback = T{}) {
    const std::size_t at = place(in, field, sizeof(T));
    return at == 0 ? fallback : load<T>(at);
  }
  template <class T>
  T element(const FlatVector& in, std::size_t k) const {
    return load<T>(in.at + k * sizeof(T));
  }

 private:
  /// require: the bytes lie within the buffer. Little-endian, like all machines this is built for.
  template <class T>
  T load(std::size_t at) const {
    T out;
    std::memcpy(&out, bytes_.data() + at, sizeof(T));
    return out;
  }
  bool holds(std::size_t at, std::size_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }
  std::size_t place(const FlatTable& in, unsigned field, std::size_t size);
  std::size_t target(std::size_t at);
  FlatTable open(std::size_t at);

  std::string_view bytes_;
  std::size_t base_, budget_;
  std::optional<Diagnostic> fault_;
};

}  // namespace noclobber
