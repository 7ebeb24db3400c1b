// Elements as numbers and as text.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "src/interp/replay_view.h"
#include "src/ops/array.h"

namespace noclobber {

namespace {

bool same_real(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Prints as many digits as the type needs, so that different numbers have different texts.
std::string real_text(Dtype type, double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  const bool wide = type == Dtype::f64 || type == Dtype::c128;
  if (wide && std::strtod(buffer, nullptr) != value) std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

}  // namespace

std::size_t element_width(Dtype type) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, item_bytes(type)));
}

double element_number(Dtype type, std::span<const std::uint8_t> bytes) {
  if (type == Dtype::other || bytes.size() < element_width(type)) return 0;
  return load_number(type, bytes.data()).as_real();
}

bool same_element(Dtype type, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  if (std::ranges::equal(a, b)) return true;
  if (a.size() != b.size() || a.size() != element_width(type)) return false;
  if (!is_floating(type) && !is_complex(type)) return false;
  const Number x = load_number(type, a.data()), y = load_number(type, b.data());
  return same_real(x.re, y.re) && same_real(x.im, y.im);
}

std::string element_text(Dtype type, std::span<const std::uint8_t> bytes) {
  if (type == Dtype::other || bytes.size() < element_width(type)) return "?";
  const Number value = load_number(type, bytes.data());
  if (type == Dtype::boolean) return value.truthy() ? "true" : "false";
  switch (value.kind) {
    case Number::Kind::integer:
      return type == Dtype::u64 ? std::to_string(static_cast<std::uint64_t>(value.integer))
                                : std::to_string(value.integer);
    case Number::Kind::real:
      return real_text(type, value.re);
    case Number::Kind::complex:
      return "(" + real_text(type, value.re) + ", " + real_text(type, value.im) + ")";
  }
  return "?";
}

}  // namespace noclobber
