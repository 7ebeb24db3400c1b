// The data that kernels compute on: numbers of a dtype, and strided arrays over borrowed bytes.
//
// Every byte has a `defined` flag and the step that wrote it last; stores keep both up to date.
// i4 and u4 take one byte per element here (PyTorch packs two): offsets still count elements.
#pragma once
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "src/graph/dtype.h"

namespace noclobber {

using Extents = std::vector<std::int64_t>;

/// The value of one element. Integers and bools use `integer` (u64 by its bits), floats `re`, complex numbers
/// both `re` and `im`.
struct Number {
  enum class Kind : std::uint8_t { integer, real, complex };
  Kind kind = Kind::integer;
  std::int64_t integer = 0;
  double re = 0, im = 0;

  static Number of(std::int64_t value) { return {Kind::integer, value, 0, 0}; }
  static Number of_real(double value) { return {Kind::real, 0, value, 0}; }
  static Number of_complex(std::complex<double> v) { return {Kind::complex, 0, v.real(), v.imag()}; }
  double as_real() const { return kind == Kind::integer ? static_cast<double>(integer) : re; }
  std::complex<double> as_complex() const { return {as_real(), kind == Kind::complex ? im : 0}; }
  bool truthy() const { return kind == Kind::integer ? integer != 0 : re != 0 || im != 0; }
};

/// Returns the conjugate of a complex number, and any other number unchanged.
inline Number conjugate(Number value) {
  if (value.kind == Number::Kind::complex) value.im = -value.im;
  return value;
}

/// Bytes of one element; 0 for Dtype::other.
std::int64_t item_bytes(Dtype type);
bool is_integer(Dtype type);  // not floating, complex, bool or other
/// Returns `value` as `to` holds it: wrapped, truncated, or rounded to nearest even.
Number convert(const Number& value, Dtype to);
/// `bytes` holds item_bytes(type) bytes, in the machine's (little endian) order.
Number load_number(Dtype type, const std::uint8_t* bytes);
void store_number(Dtype type, std::uint8_t* bytes, const Number& value);

/// The bytes of one storage, owned elsewhere. `id` is the owner's number for it.
struct Memory {
  std::uint8_t* bytes = nullptr;
  std::uint8_t* defined = nullptr;
  std::int32_t* writer = nullptr;
  std::int64_t size = 0;
  std::uint32_t id = 0xffffffffU;
  std::int32_t step = 0;  // stores are recorded under this step
};

/// One element that a kernel read or wrote, for a caller that records accesses.
struct Contact {
  bool write = false;
  const std::uint8_t* storage = nullptr;
  std::int64_t at = 0;  // bytes from the start of the storage
  std::int64_t width = 1;
};

/// A strided view: element (i...) is at offset + sum i*stride, counted in elements of `dtype`.
struct Geometry {
  Dtype dtype = Dtype::f32;
  Extents shape, stride;
  std::int64_t offset = 0;
  bool conjugated = false;  // reads give the conjugates of the stored elements
  std::int64_t numel() const;
  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

struct Array {
  Geometry at;
  Memory memory;
};

/// Maps row-major element numbers of `shape` to storage positions of an array that is broadcast to `shape`.
/// The caller has checked that it broadcasts.
class Elements {
 public:
  Elements(const Geometry& geometry, const Extents& shape);
  explicit Elements(const Geometry& geometry) : Elements(geometry, geometry.shape) {}
  /// The position in the storage of row-major element k, counted in elements; -1 on overflow.
  std::int64_t at(std::int64_t k) const;

 private:
  Extents shape_, stride_;  // innermost first; dimensions that one stride covers are merged
  std::int64_t offset_ = 0;
  bool plain_ = false;  // position = offset + k
};

}  // namespace noclobber
