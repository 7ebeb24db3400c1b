#include "src/ops/fold_rules.h"

#include <algorithm>
#include <cmath>

namespace noclobber::fold_rules {

// A whole number has no sign of zero: a floating operand 0 is +0. A sum or difference that is 0 is then +0; a
// product or negation that is 0 may be -0, which a whole number does not express.

std::optional<std::int64_t> fold_add(std::int64_t a, std::int64_t b, bool) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

std::optional<std::int64_t> fold_sub(std::int64_t a, std::int64_t b, bool) {
  std::int64_t out = 0;
  return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

std::optional<std::int64_t> fold_mul(std::int64_t a, std::int64_t b, bool floating) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  if (floating && out == 0 && (a < 0 || b < 0)) return std::nullopt;
  return out;
}

std::optional<std::int64_t> fold_neg(std::int64_t a, std::int64_t, bool floating) {
  if (floating && a == 0) return std::nullopt;
  return fold_sub(0, a, floating);
}

std::optional<std::int64_t> fold_max(std::int64_t a, std::int64_t b, bool) { return std::max(a, b); }
std::optional<std::int64_t> fold_min(std::int64_t a, std::int64_t b, bool) { return std::min(a, b); }
std::optional<std::int64_t> fold_eq(std::int64_t a, std::int64_t b, bool) { return a == b; }
std::optional<std::int64_t> fold_ne(std::int64_t a, std::int64_t b, bool) { return a != b; }
std::optional<std::int64_t> fold_lt(std::int64_t a, std::int64_t b, bool) { return a < b; }
std::optional<std::int64_t> fold_le(std::int64_t a, std::int64_t b, bool) { return a <= b; }
std::optional<std::int64_t> fold_gt(std::int64_t a, std::int64_t b, bool) { return a > b; }
std::optional<std::int64_t> fold_ge(std::int64_t a, std::int64_t b, bool) { return a >= b; }

double real_add(double a, double b) { return a + b; }
double real_sub(double a, double b) { return a - b; }
double real_mul(double a, double b) { return a * b; }

double real_div(double a, double b) {
  int exponent = 0;
  return std::fabs(std::frexp(b, &exponent)) == 0.5 ? a / b : std::nan("");
}

double real_neg(double a, double) { return -a; }
double real_abs(double a, double) { return std::fabs(a); }
double real_relu(double a, double) { return a > 0 ? a : 0; }
double real_not(double a, double) { return a == 0 ? 1 : 0; }
double real_eq(double a, double b) { return a == b ? 1 : 0; }
double real_ne(double a, double b) { return a != b ? 1 : 0; }
double real_lt(double a, double b) { return a < b ? 1 : 0; }
double real_le(double a, double b) { return a <= b ? 1 : 0; }
double real_gt(double a, double b) { return a > b ? 1 : 0; }
double real_ge(double a, double b) { return a >= b ? 1 : 0; }

}  // namespace noclobber::fold_rules
