// Exact results for whole numbers, and results for reals before rounding. Internal to ops/; see FoldRule.
#pragma once
#include <cstdint>
#include <optional>

namespace noclobber::fold_rules {

std::optional<std::int64_t> fold_add(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_sub(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_mul(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_neg(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_max(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_min(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_eq(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_ne(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_lt(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_le(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_gt(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_ge(std::int64_t a, std::int64_t b, bool floating);

double real_add(double a, double b);
double real_sub(double a, double b);
double real_mul(double a, double b);
double real_div(double a, double b);  // NaN unless b is a power of two, of either sign
double real_neg(double a, double b);
double real_abs(double a, double b);
double real_relu(double a, double b);
double real_not(double a, double b);
double real_eq(double a, double b);
double real_ne(double a, double b);
double real_lt(double a, double b);
double real_le(double a, double b);
double real_gt(double a, double b);
double real_ge(double a, double b);

}  // namespace noclobber::fold_rules
