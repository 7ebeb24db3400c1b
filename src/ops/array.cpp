#include "src/ops/array.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace noclobber {
namespace {

/// Rounds to `mantissa` explicit bits with least exponent `min_exponent`, to nearest even.
double round_to(double value, int mantissa, int min_exponent) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), min_exponent);
  return std::ldexp(std::nearbyint(std::ldexp(value, mantissa - exponent)), exponent - mantissa);
}

double round_small(double value, Dtype type) {
  const double inf = std::numeric_limits<double>::infinity();
  const double single = static_cast<float>(value);  // PyTorch rounds to float first
  if (std::isnan(single)) return single;
  if (type == Dtype::f16) {
    const double r = round_to(single, 10, -14);
    return std::abs(r) > 65504 ? std::copysign(inf, r) : r;
  }
  if (type == Dtype::bf16) {
    const double r = round_to(single, 7, -126);
    return std::abs(r) > 3.3895313892515355e38 ? std::copysign(inf, r) : r;
  }
  if (type == Dtype::f8e5m2) {
    const double r = round_to(single, 2, -14);
    return std::abs(r) > 57344 ? std::copysign(inf, r) : r;
  }
  const double r = round_to(single, 3, -6);
  return std::abs(r) > 448 ? std::copysign(std::numeric_limits<double>::quiet_NaN(), r) : r;
}

/// A small float format as exponent and mantissa widths.
struct SmallFormat {
  int exponent_bits, mantissa_bits;
  bool has_infinity;
};

SmallFormat small_format(Dtype type) {
  if (type == Dtype::f16) return {5, 10, true};
  if (type == Dtype::bf16) return {8, 7, true};
  if (type == Dtype::f8e5m2) return {5, 2, true};
  return {4, 3, false};
}

double decode_small(std::uint32_t bits, Dtype type) {
  const SmallFormat f = small_format(type);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const std::uint32_t mantissa = bits & ((1U << f.mantissa_bits) - 1);
  const std::uint32_t top = (1U << f.exponent_bits) - 1;
  const std::uint32_t exponent = (bits >> f.mantissa_bits) & top;
  const double sign = (bits >> (f.mantissa_bits + f.exponent_bits)) & 1 ? -1.0 : 1.0;
  const bool nan = f.has_infinity ? exponent == top && mantissa != 0 : (bits & 0x7fU) == 0x7fU;
  if (nan) return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (f.has_infinity && exponent == top) return sign * std::numeric_limits<double>::infinity();
  const double m = static_cast<double>(mantissa) + (exponent == 0 ? 0.0 : std::ldexp(1.0, f.mantissa_bits));
  return sign * std::ldexp(m, std::max<int>(static_cast<int>(exponent), 1) - bias - f.mantissa_bits);
}

/// require: `value` is already rounded to `type`.
std::uint32_t encode_small(double value, Dtype type) {
  const SmallFormat f = small_format(type);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const std::uint32_t sign = std::signbit(value) ? 1U << (f.mantissa_bits + f.exponent_bits) : 0;
  const std::uint32_t top = (1U << f.exponent_bits) - 1;
  if (std::isnan(value))
    return sign | (f.has_infinity ? (top << f.mantissa_bits) | 1U << (f.mantissa_bits - 1) : 0x7fU);
  if (std::isinf(value)) return sign | (top << f.mantissa_bits);
  if (value == 0) return sign;
  const int exponent = std::max(std::ilogb(value), 1 - bias);
  const auto scaled = static_cast<std::uint32_t>(std::ldexp(std::abs(value), f.mantissa_bits - exponent));
  const bool subnormal = scaled < (1U << f.mantissa_bits);
  return sign | (subnormal ? scaled
                           : static_cast<std::uint32_t>(exponent + bias) << f.mantissa_bits |
                                 (scaled & ((1U << f.mantissa_bits) - 1)));
}

std::int64_t wrap_integer(std::int64_t value, Dtype type) {
  switch (type) {
    case Dtype::i32:
      return static_cast<std::int32_t>(value);
    case Dtype::i16:
      return static_cast<std::int16_t>(value);
    case Dtype::i8:
      return static_cast<std::int8_t>(value);
    case Dtype::u32:
      return static_cast<std::uint32_t>(value);
    case Dtype::u16:
      return static_cast<std::uint16_t>(value);
    case Dtype::u8:
      return static_cast<std::uint8_t>(value);
    case Dtype::u4:
      return value & 15;
    case Dtype::i4:
      return ((value & 15) ^ 8) - 8;
    case Dtype::boolean:
      return value != 0 ? 1 : 0;
    case Dtype::i64:
    case Dtype::u64:
    case Dtype::f64:
    case Dtype::f32:
    case Dtype::f16:
    case Dtype::bf16:
    case Dtype::f8e4m3fn:
    case Dtype::f8e5m2:
    case Dtype::c64:
    case Dtype::c128:
    case Dtype::other:
      return value;
  }
  return value;
}

/// Truncates as x86 does: a value out of range, or NaN, gives the least integer.
std::int64_t truncate(double value, Dtype to) {
  const double limit = 9223372036854775808.0;
  if (to == Dtype::u64 && value >= limit && value < 2 * limit)
    return std::bit_cast<std::int64_t>(static_cast<std::uint64_t>(value));
  if (!(value >= -limit && value < limit)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

template <class T>
T read_bytes(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
void write_bytes(std::uint8_t* bytes, T value) {
  std::memcpy(bytes, &value, sizeof value);
}

}  // namespace

std::int64_t item_bytes(Dtype type) {
  const int bits = bit_width(type);
  return bits == 0 ? 0 : bits < 8 ? 1 : bits / 8;
}

bool is_integer(Dtype type) {
  return !is_floating(type) && !is_complex(type) && type != Dtype::boolean && type != Dtype::other;
}

Number convert(const Number& value, Dtype to) {
  if (is_complex(to)) {
    const std::complex<double> z = value.as_complex();
    if (to == Dtype::c128) return Number::of_complex(z);
    return Number::of_complex({static_cast<float>(z.real()), static_cast<float>(z.imag())});
  }
  if (is_floating(to)) {
    const double real = value.as_real();
    if (to == Dtype::f64) return Number::of_real(real);
    if (to == Dtype::f32)
      return Number::of_real(value.kind == Number::Kind::integer ? static_cast<float>(value.integer)
                                                                 : static_cast<float>(real));
    return Number::of_real(round_small(real, to));
  }
  if (to == Dtype::boolean) return Number::of(value.truthy() ? 1 : 0);
  if (value.kind == Number::Kind::integer) return Number::of(wrap_integer(value.integer, to));
  return Number::of(wrap_integer(truncate(value.re, to), to));
}

Number load_number(Dtype type, const std::uint8_t* bytes) {
  switch (type) {
    case Dtype::f64:
      return Number::of_real(read_bytes<double>(bytes));
    case Dtype::f32:
      return Number::of_real(read_bytes<float>(bytes));
    case Dtype::f16:
    case Dtype::bf16:
      return Number::of_real(decode_small(read_bytes<std::uint16_t>(bytes), type));
    case Dtype::f8e4m3fn:
    case Dtype::f8e5m2:
      return Number::of_real(decode_small(*bytes, type));
    case Dtype::i64:
    case Dtype::u64:
      return Number::of(read_bytes<std::int64_t>(bytes));
    case Dtype::i32:
      return Number::of(read_bytes<std::int32_t>(bytes));
    case Dtype::u32:
      return Number::of(read_bytes<std::uint32_t>(bytes));
    case Dtype::i16:
      return Number::of(read_bytes<std::int16_t>(bytes));
    case Dtype::u16:
      return Number::of(read_bytes<std::uint16_t>(bytes));
    case Dtype::i8:
    case Dtype::i4:
      return Number::of(wrap_integer(read_bytes<std::int8_t>(bytes), type));
    case Dtype::u8:
    case Dtype::u4:
      return Number::of(wrap_integer(*bytes, type));
    case Dtype::boolean:
      return Number::of(*bytes != 0 ? 1 : 0);
    case Dtype::c64:
      return Number::of_complex({read_bytes<float>(bytes), read_bytes<float>(bytes + 4)});
    case Dtype::c128:
      return Number::of_complex({read_bytes<double>(bytes), read_bytes<double>(bytes + 8)});
    case Dtype::other:
      break;
  }
  return {};
}

void store_number(Dtype type, std::uint8_t* bytes, const Number& value) {
  const Number v = convert(value, type);
  switch (type) {
    case Dtype::f64:
      return write_bytes(bytes, v.re);
    case Dtype::f32:
      return write_bytes(bytes, static_cast<float>(v.re));
    case Dtype::f16:
    case Dtype::bf16:
      return write_bytes(bytes, static_cast<std::uint16_t>(encode_small(v.re, type)));
    case Dtype::f8e4m3fn:
    case Dtype::f8e5m2:
      return write_bytes(bytes, static_cast<std::uint8_t>(encode_small(v.re, type)));
    case Dtype::i64:
    case Dtype::u64:
      return write_bytes(bytes, v.integer);
    case Dtype::i32:
    case Dtype::u32:
      return write_bytes(bytes, static_cast<std::uint32_t>(v.integer));
    case Dtype::i16:
    case Dtype::u16:
      return write_bytes(bytes, static_cast<std::uint16_t>(v.integer));
    case Dtype::i8:
    case Dtype::u8:
    case Dtype::i4:
    case Dtype::u4:
    case Dtype::boolean:
      return write_bytes(bytes, static_cast<std::uint8_t>(v.integer));
    case Dtype::c64:
      write_bytes(bytes, static_cast<float>(v.re));
      return write_bytes(bytes + 4, static_cast<float>(v.im));
    case Dtype::c128:
      write_bytes(bytes, v.re);
      return write_bytes(bytes + 8, v.im);
    case Dtype::other:
      return;
  }
}

std::int64_t Geometry::numel() const {
  std::int64_t n = 1;
  for (std::int64_t size : shape)
    if (__builtin_mul_overflow(n, size, &n)) return std::numeric_limits<std::int64_t>::max();
  return n;
}

Elements::Elements(const Geometry& geometry, const Extents& shape) : offset_(geometry.offset) {
  const std::size_t skip = shape.size() >= geometry.shape.size() ? shape.size() - geometry.shape.size() : 0;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    const std::int64_t stride = i < skip || geometry.shape[i - skip] == 1 ? 0 : geometry.stride[i - skip];
    std::int64_t joint = 0;
    const bool joins = !shape_.empty() && !__builtin_mul_overflow(shape_.back(), stride_.back(), &joint) &&
                       joint == stride && !__builtin_mul_overflow(shape_.back(), shape[i], &joint);
    if (joins) {
      shape_.back() = joint;
    } else {
      shape_.push_back(shape[i]);
      stride_.push_back(stride);
    }
  }
  plain_ = shape_.empty() || (shape_.size() == 1 && stride_[0] == 1);
}

std::int64_t Elements::at(std::int64_t k) const {
  std::int64_t position = offset_;
  if (plain_) {
    if (__builtin_add_overflow(position, k, &position)) return -1;
    return position;
  }
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    if (shape_[i] <= 0) return -1;
    const bool last = i + 1 == shape_.size();  // then k is below its size
    const std::int64_t index = last ? k : k % shape_[i];
    std::int64_t step = 0;
    if (__builtin_mul_overflow(index, stride_[i], &step)) return -1;
    if (__builtin_add_overflow(position, step, &position)) return -1;
    if (!last) k /= shape_[i];
  }
  return position;
}

}  // namespace noclobber
