// Arithmetic on Numbers, shared by the pointwise families of kernels. Integers wrap.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/ops/array.h"

namespace noclobber {

inline std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrap_sub(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t wrap_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
inline double wrap_add(double a, double b) { return a + b; }
inline double wrap_sub(double a, double b) { return a - b; }
inline double wrap_mul(double a, double b) { return a * b; }
inline std::complex<double> wrap_add(std::complex<double> a, std::complex<double> b) { return a + b; }
inline std::complex<double> wrap_sub(std::complex<double> a, std::complex<double> b) { return a - b; }
inline std::complex<double> wrap_mul(std::complex<double> a, std::complex<double> b) { return a * b; }

inline Number number_of(std::int64_t v) { return Number::of(v); }
inline Number number_of(double v) { return Number::of_real(v); }
inline Number number_of(std::complex<double> v) { return Number::of_complex(v); }

/// Applies `f` to both values in the wider kind of the two.
template <class F>
Number binary_number(const Number& a, const Number& b, F f) {
  if (a.kind == Number::Kind::complex || b.kind == Number::Kind::complex)
    return number_of(f(a.as_complex(), b.as_complex()));
  if (a.kind == Number::Kind::real || b.kind == Number::Kind::real)
    return number_of(f(a.as_real(), b.as_real()));
  return number_of(f(a.integer, b.integer));
}

inline Number add_numbers(const Number& a, const Number& b) {
  return binary_number(a, b, [](auto x, auto y) { return wrap_add(x, y); });
}
inline Number sub_numbers(const Number& a, const Number& b) {
  return binary_number(a, b, [](auto x, auto y) { return wrap_sub(x, y); });
}
inline Number mul_numbers(const Number& a, const Number& b) {
  return binary_number(a, b, [](auto x, auto y) { return wrap_mul(x, y); });
}

/// The quotient, rounded towards minus infinity; 0 for a zero divisor (PyTorch raises).
inline std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return wrap_sub(std::int64_t{0}, a);
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

/// a < b where NaN is greater than everything, as sort and max order numbers.
inline bool less_number(const Number& a, const Number& b) {
  if (a.kind == Number::Kind::integer && b.kind == Number::Kind::integer) return a.integer < b.integer;
  const double x = a.as_real(), y = b.as_real();
  return std::isnan(y) ? !std::isnan(x) : x < y;
}

inline bool is_nan(const Number& a) {
  return a.kind != Number::Kind::integer && (std::isnan(a.re) || std::isnan(a.im));
}

/// The dtype in which kernels compute for elements of `type`.
inline Dtype opmath(Dtype type) { return type == Dtype::f16 || type == Dtype::bf16 ? Dtype::f32 : type; }

/// Rounds an intermediate result: those of f32 and narrower types are held in single precision.
inline double rounded(Dtype type, double value) {
  return type == Dtype::f64 || type == Dtype::c128 ? value : static_cast<float>(value);
}

}  // namespace noclobber
