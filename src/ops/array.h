// What kernels compute on: numbers of a dtype, and strided arrays over bytes that somebody else owns.
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

/// One element's value. Integers and bools are `integer` (u64 by its bits), floats `real`.
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

/// A complex number's conjugate; other numbers as they are.
inline Number conjugate(Number value) {
  if (value.kind == Number::Kind::complex) value.im = -value.im;
  return value;
}

/// Bytes of one element; 0 for Dtype::other.
std::int64_t item_bytes(Dtype type);
bool is_integer(Dtype type);  // neither floating, complex nor bool
/// `value` as `to` would hold it: wrapped, truncated, rounded to nearest even.
Number convert(const Number& value, Dtype to);
/// `bytes` holds item_bytes(type) bytes, in the machine's (little endian) order.
Number load_number(Dtype type, const std::uint8_t* bytes);
void store_number(Dtype type, std::uint8_t* bytes, const Number& value);

/// Bytes of one storage. `id` is its owner's name for it.
struct Memory {
  std::uint8_t* bytes = nullptr;
  std::uint8_t* defined = nullptr;
  std::int32_t* writer = nullptr;
  std::int64_t size = 0;
  std::uint32_t id = 0xffffffffU;
  std::int32_t step = 0;  // stores are recorded under this step
};

/// One element that a kernel read or wrote, for those that watch it.
struct Contact {
  bool write = false;
  const std::uint8_t* storage = nullptr;
  std::int64_t at = 0;  // bytes from the start of the storage
  std::int64_t width = 1;
};

/// Strided view: element (i...) lies at offset + sum i*stride, counted in elements of `dtype`.
struct Geometry {
  Dtype dtype = Dtype::f32;
  Extents shape, stride;
  std::int64_t offset = 0;
  bool conjugated = false;  // elements read as the conjugates of what is stored
  std::int64_t numel() const;
  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

struct Array {
  Geometry at;
  Memory memory;
};

/// Walks an array in row-major order of `shape`, to which it is broadcast (shape rules already checked).
class Elements {
 public:
  Elements(const Geometry& geometry, const Extents& shape);
  explicit Elements(const Geometry& geometry) : Elements(geometry, geometry.shape) {}
  /// Position in the storage of row-major element k, counted in elements.
  std::int64_t at(std::int64_t k) const;

 private:
  Extents shape_, stride_;  // innermost first; dimensions that one stride walks are one
  std::int64_t offset_ = 0;
  bool plain_ = false;  // position = offset + k
};

}  // namespace noclobber
