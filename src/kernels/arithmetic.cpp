// Pointwise arithmetic of two and three operands.
#include <algorithm>

#include "src/kernels/kernels.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

Number scaled_operand(const Number* x, const Extras& e) {
  return e.has(0) ? mul_numbers(x[1], convert(e.number(0, 1), e.dtype)) : x[1];
}

Number add_fn(const Number* x, const Extras& e) { return add_numbers(x[0], scaled_operand(x, e)); }
Number sub_fn(const Number* x, const Extras& e) { return sub_numbers(x[0], scaled_operand(x, e)); }
Number rsub_fn(const Number* x, const Extras& e) {
  const Number by = e.has(0) ? mul_numbers(x[0], convert(e.number(0, 1), e.dtype)) : x[0];
  return sub_numbers(x[1], by);
}
Number mul_fn(const Number* x, const Extras&) { return mul_numbers(x[0], x[1]); }

Number true_div_fn(const Number* x, const Extras&) {
  return binary_number(x[0], x[1], [](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), std::int64_t>)
      return static_cast<double>(a) / static_cast<double>(b);
    else
      return a / b;
  });
}

double floor_div(double a, double b, Dtype type) {
  if (b == 0) return a / b;
  double mod = std::fmod(a, b);
  double div = rounded(type, rounded(type, a - mod) / b);
  if (mod != 0 && (b < 0) != (mod < 0)) div -= 1;
  if (div == 0) return std::copysign(0.0, a / b);
  const double floored = std::floor(div);
  return div - floored > 0.5 ? floored + 1 : floored;
}

/// Raises for a division of integers by zero; false after a fault.
bool divides(const Number& divisor, const Extras& e) {
  if (divisor.kind == Number::Kind::integer && divisor.integer == 0) e.call->raise("ZeroDivisionError");
  return e.call->ok();
}

Number floor_div_fn(const Number* x, const Extras& e) {
  if (!divides(x[1], e)) return x[0];
  if (x[0].kind == Number::Kind::integer) return Number::of(floor_quotient(x[0].integer, x[1].integer));
  return Number::of_real(floor_div(x[0].re, x[1].re, e.dtype));
}

Number trunc_div_fn(const Number* x, const Extras& e) {
  if (!divides(x[1], e)) return x[0];
  if (x[0].kind != Number::Kind::integer)
    return Number::of_real(std::trunc(convert(Number::of_real(x[0].re / x[1].re), e.dtype).re));
  const std::int64_t a = x[0].integer, b = x[1].integer;
  if (b == 0) return Number::of(0);
  return Number::of(b == -1 ? wrap_sub(std::int64_t{0}, a) : a / b);
}

Number prims_div_fn(const Number* x, const Extras& e) {
  return x[0].kind == Number::Kind::integer ? trunc_div_fn(x, e) : true_div_fn(x, e);
}

/// A division of a boolean tensor is a true division.
void run_prims_div(Call& call, const KernelRow& row) {
  KernelRow copy = row;
  const Datum& first = call.arg(0);
  if (first.kind == Datum::Kind::tensor && first.tensor.at.dtype == Dtype::boolean) {
    copy.promotion = Promotion::to_float;
    copy.pointwise = true_div_fn;
  }
  run_pointwise(call, copy);
}

void run_addcdiv(Call& call, const KernelRow& row) {
  const auto is_whole = [&](std::size_t k) {
    const Dtype dtype = call.tensor(k).at.dtype;
    return !is_floating(dtype) && !is_complex(dtype);
  };
  if (is_whole(1) && is_whole(2)) return call.raise("integer division with addcdiv is no longer supported");
  run_pointwise(call, row);
}

/// With a number as base it is another overload, whose result is contiguous.
void run_prims_pow(Call& call, const KernelRow& row) {
  KernelRow copy = row;
  if (call.arg(0).kind != Datum::Kind::tensor) copy.variant = 2;
  run_pointwise(call, copy);
}

Number div_mode_fn(const Number* x, const Extras& e) {
  if (e.text(0) == "floor") return floor_div_fn(x, e);
  return e.text(0) == "trunc" ? trunc_div_fn(x, e) : true_div_fn(x, e);
}

/// With a rounding mode integers stay integers; without one the result is a float.
void run_div_mode(Call& call, const KernelRow& row) {
  KernelRow copy = row;
  copy.promotion = call.has(2) ? Promotion::same : Promotion::to_float;
  run_pointwise(call, copy);
}

Number remainder_fn(const Number* x, const Extras& e) {
  if (!divides(x[1], e)) return x[0];
  if (x[0].kind == Number::Kind::integer)
    return sub_numbers(x[0], mul_numbers(Number::of(floor_quotient(x[0].integer, x[1].integer)), x[1]));
  double mod = std::fmod(x[0].re, x[1].re);
  if (mod != 0 && (x[1].re < 0) != (mod < 0)) mod += x[1].re;
  return Number::of_real(mod);
}

Number fmod_fn(const Number* x, const Extras& e) {
  if (!divides(x[1], e)) return x[0];
  if (x[0].kind != Number::Kind::integer) return Number::of_real(std::fmod(x[0].re, x[1].re));
  return Number::of(x[1].integer == 0 || x[1].integer == -1 ? 0 : x[0].integer % x[1].integer);
}

std::int64_t integer_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  std::int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = wrap_mul(result, base);
    base = wrap_mul(base, base);
  }
  return result;
}

/// The power of 1 is a copy, which keeps the sign of a NaN.
Number pow_fn(const Number* x, const Extras&) {
  if (x[1].kind == Number::Kind::real && x[1].re == 1) return x[0];
  return binary_number(x[0], x[1], [](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), std::int64_t>)
      return integer_power(a, b);
    else
      return std::pow(a, b);
  });
}

Number maximum_fn(const Number* x, const Extras&) {
  if (is_nan(x[0]) || is_nan(x[1])) return is_nan(x[0]) ? x[0] : x[1];
  return less_number(x[0], x[1]) ? x[1] : x[0];
}
Number minimum_fn(const Number* x, const Extras&) {
  if (is_nan(x[0]) || is_nan(x[1])) return is_nan(x[0]) ? x[0] : x[1];
  return less_number(x[1], x[0]) ? x[1] : x[0];
}
Number atan2_fn(const Number* x, const Extras&) { return Number::of_real(std::atan2(x[0].re, x[1].re)); }

/// clamp's bounds take part in promotion: it runs as maximum and minimum with the bounds that are given.
Number clamp_both_fn(const Number* x, const Extras& e) {
  const Number low = maximum_fn(x, e);
  const Number pair[2] = {low, x[2]};
  return minimum_fn(pair, e);
}

/// Drops a bound that no element of an integer tensor can reach, and raises for one that every element
/// passes.
void fit_bound(Call& call, std::size_t i, bool upper) {
  const Datum& x = call.arg(0);
  if (x.kind != Datum::Kind::tensor || !is_integer(x.tensor.at.dtype) || x.tensor.at.dtype == Dtype::u64 ||
      call.arg(i).kind != Datum::Kind::integer)
    return;
  const Dtype type = x.tensor.at.dtype;
  const int bits = bit_width(type);
  if (bits >= 64) return;
  const std::int64_t low = is_signed(type) ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t high = (std::int64_t{1} << (is_signed(type) ? bits - 1 : bits)) - 1;
  std::int64_t& bound = call.args[i].integer;
  if (upper ? bound < low : bound > high) call.raise("clamp: a bound is outside the range of its dtype");
  bound = std::clamp(bound, low, high);
}

void run_one_clamp(Call& call, const KernelRow& row) {
  fit_bound(call, 1, row.pointwise == minimum_fn);
  KernelRow copy = row;
  copy.variant = 3;  // a number is no operand of the loop
  if (call.ok()) run_pointwise(call, copy);
}

void run_clamp(Call& call, const KernelRow& row) {
  fit_bound(call, 1, false);
  fit_bound(call, 2, true);
  if (!call.ok()) return;
  KernelRow copy = row;
  if (call.arg(1).numeric() || call.arg(2).numeric()) copy.variant = 3;
  if (call.has(1) && call.has(2)) {
    copy.operands = 3;
    copy.pointwise = clamp_both_fn;
  } else if (call.has(1)) {
    copy.operands = 2;
    copy.pointwise = maximum_fn;
  } else if (call.has(2)) {
    call.args = {call.args[0], call.args[2]};
    copy.operands = 2;
    copy.pointwise = minimum_fn;
  } else {
    return call.raise("torch.clamp: At least one of 'min' or 'max' must not be None");
  }
  run_pointwise(call, copy);
}

/// Powers of one are stored into out= of any dtype.
void run_power_of_number(Call& call, const KernelRow& row) {
  const Number base = call.number(0, 0);
  const bool one = base.as_complex() == std::complex<double>(1, 0);
  if (!one || call.targets.empty() || !call.ok()) return run_pointwise(call, row);
  const Array out = call.output(call.targets[0].at.dtype, call.tensor(1).at.shape);
  call.begin();
  if (call.ok()) fill_elements(call, out, Number::of(1));
}

Number fma_fn(const Number* x, const Extras& e) {
  if (e.dtype == Dtype::f64) return Number::of_real(std::fma(x[0].re, x[1].re, x[2].re));
  return add_numbers(mul_numbers(x[0], x[1]), x[2]);
}

Number addcmul_fn(const Number* x, const Extras& e) {
  if (x[0].kind != Number::Kind::real)
    return add_numbers(x[0], mul_numbers(mul_numbers(convert(e.number(0, 1), e.dtype), x[1]), x[2]));
  const double value = rounded(e.dtype, e.number(0, 1).as_real());
  const double scaled = rounded(e.dtype, value * x[1].re);
  return Number::of_real(x[0].re + rounded(e.dtype, scaled * x[2].re));
}

Number addcdiv_fn(const Number* x, const Extras& e) {
  if (x[0].kind == Number::Kind::complex)
    return Number::of_complex(x[0].as_complex() +
                              e.number(0, 1).as_complex() * x[1].as_complex() / x[2].as_complex());
  const double value = rounded(e.dtype, e.number(0, 1).as_real());
  const double scaled = rounded(e.dtype, value * x[1].as_real());
  return Number::of_real(x[0].as_real() + rounded(e.dtype, scaled / x[2].as_real()));
}

Number lerp_with(const Number* x, const Number& weight, Dtype type) {
  if (x[0].kind == Number::Kind::complex) {
    const std::complex<double> a = x[0].as_complex(), b = x[1].as_complex(), w = weight.as_complex();
    return Number::of_complex(std::abs(w) < 0.5 ? a + w * (b - a) : b - (b - a) * (1.0 - w));
  }
  const double w = rounded(type, weight.as_real());
  const double gap = rounded(type, x[1].re - x[0].re);
  if (std::abs(w) < 0.5) return Number::of_real(x[0].re + w * gap);
  return Number::of_real(x[1].re - gap * rounded(type, 1 - w));
}
Number lerp_scalar_fn(const Number* x, const Extras& e) { return lerp_with(x, e.number(0, 1), e.dtype); }
Number lerp_tensor_fn(const Number* x, const Extras& e) { return lerp_with(x, x[2], e.dtype); }

Number where_fn(const Number* x, const Extras&) { return x[0].truthy() ? x[1] : x[2]; }

Number threshold_backward_fn(const Number* x, const Extras& e) {
  return less_number(convert(e.number(0, 0), e.dtype), x[1]) ? x[0] : convert(Number::of(0), e.dtype);
}

const KernelRow kArithmeticRows[] = {
    {"add.Tensor", run_pointwise, add_fn, Promotion::same, 2},
    {"add.Scalar", run_pointwise, add_fn, Promotion::same, 2},
    {"sub.Tensor", run_pointwise, sub_fn, Promotion::same, 2},
    {"sub.Scalar", run_pointwise, sub_fn, Promotion::same, 2},
    {"rsub.Tensor", run_pointwise, rsub_fn, Promotion::same, 2},
    {"rsub.Scalar", run_pointwise, rsub_fn, Promotion::same, 2},
    {"mul.Tensor", run_pointwise, mul_fn, Promotion::same, 2, 4},
    {"mul.Scalar", run_pointwise, mul_fn, Promotion::same, 2, 4},
    {"div.Tensor", run_pointwise, true_div_fn, Promotion::to_float, 2, 4},
    {"div.Scalar", run_pointwise, true_div_fn, Promotion::to_float, 2, 4},
    {"div.Tensor_mode", run_div_mode, div_mode_fn, Promotion::same, 2},
    {"div.Scalar_mode", run_div_mode, div_mode_fn, Promotion::same, 2},
    {"floor_divide.default", run_pointwise, floor_div_fn, Promotion::same, 2},
    {"floor_divide.Scalar", run_pointwise, floor_div_fn, Promotion::same, 2},
    {"remainder.Tensor", run_pointwise, remainder_fn, Promotion::same, 2},
    {"remainder.Scalar", run_pointwise, remainder_fn, Promotion::same, 2},
    {"remainder.Scalar_Tensor", run_pointwise, remainder_fn, Promotion::same, 2},
    {"fmod.Tensor", run_pointwise, fmod_fn, Promotion::same, 2},
    {"fmod.Scalar", run_pointwise, fmod_fn, Promotion::same, 2},
    {"pow.Tensor_Tensor", run_pointwise, pow_fn, Promotion::same, 2},
    {"pow.Tensor_Scalar", run_pointwise, pow_fn, Promotion::same, 2, 3},
    {"pow.Scalar", run_power_of_number, pow_fn, Promotion::same, 2, 2},
    {"maximum.default", run_pointwise, maximum_fn, Promotion::same, 2},
    {"minimum.default", run_pointwise, minimum_fn, Promotion::same, 2},
    {"max.other", run_pointwise, maximum_fn, Promotion::same, 2},
    {"min.other", run_pointwise, minimum_fn, Promotion::same, 2},
    {"atan2.default", run_pointwise, atan2_fn, Promotion::to_float, 2},
    {"clamp.default", run_clamp, maximum_fn},
    {"clamp.Tensor", run_clamp, maximum_fn},
    {"clamp_min.default", run_one_clamp, maximum_fn, Promotion::same, 2},
    {"clamp_min.Tensor", run_pointwise, maximum_fn, Promotion::same, 2},
    {"clamp_max.default", run_one_clamp, minimum_fn, Promotion::same, 2},
    {"clamp_max.Tensor", run_pointwise, minimum_fn, Promotion::same, 2},
    {"fma.default", run_pointwise, fma_fn, Promotion::same, 3},
    {"addcmul.default", run_pointwise, addcmul_fn, Promotion::same, 3},
    {"addcdiv.default", run_addcdiv, addcdiv_fn, Promotion::to_float, 3},
    {"lerp.Scalar", run_pointwise, lerp_scalar_fn, Promotion::same, 2},
    {"lerp.Tensor", run_pointwise, lerp_tensor_fn, Promotion::same, 3},
    {"where.self", run_pointwise, where_fn, Promotion::first_is_condition, 3},
    {"where.ScalarSelf", run_pointwise, where_fn, Promotion::first_is_condition, 3},
    {"where.ScalarOther", run_pointwise, where_fn, Promotion::first_is_condition, 3},
    {"where.Scalar", run_pointwise, where_fn, Promotion::first_is_condition, 3},
    {"threshold_backward.default", run_pointwise, threshold_backward_fn, Promotion::same, 2, 1},
    {"prims_add.default", run_pointwise, add_fn, Promotion::same, 2},
    {"prims_sub.default", run_pointwise, sub_fn, Promotion::same, 2},
    {"prims_mul.default", run_pointwise, mul_fn, Promotion::same, 2},
    {"prims_div.default", run_prims_div, prims_div_fn, Promotion::same, 2},
    {"pow.default", run_prims_pow, pow_fn, Promotion::same, 2},
    {"fmod.default", run_pointwise, fmod_fn, Promotion::same, 2},
    {"remainder.default", run_pointwise, remainder_fn, Promotion::same, 2},
    {"where.default", run_pointwise, where_fn, Promotion::first_is_condition, 3},
};

}  // namespace

std::span<const KernelRow> arithmetic_kernels() { return kArithmeticRows; }

}  // namespace noclobber
