// Pointwise functions of one operand.
#include "src/kernels/kernels.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

using Complex = std::complex<double>;

template <double (*Real)(double), Complex (*Whole)(const Complex&)>
Number both_fn(const Number* x, const Extras&) {
  if (x[0].kind == Number::Kind::complex) return Number::of_complex(Whole(x[0].as_complex()));
  return Number::of_real(Real(x[0].re));
}

template <double (*Real)(double)>
Number real_fn(const Number* x, const Extras& e) {
  if (x[0].kind == Number::Kind::complex) e.call->raise("not implemented for complex numbers");
  return Number::of_real(Real(x[0].as_real()));
}

/// For functions that do not change integers.
template <double (*Real)(double)>
Number rounding_fn(const Number* x, const Extras&) {
  return x[0].kind == Number::Kind::integer ? x[0] : Number::of_real(Real(x[0].re));
}

Number neg_fn(const Number* x, const Extras&) {
  if (x[0].kind == Number::Kind::real) return Number::of_real(-x[0].re);
  if (x[0].kind == Number::Kind::complex) return Number::of_complex(-x[0].as_complex());
  return Number::of(wrap_sub(std::int64_t{0}, x[0].integer));
}
Number abs_fn(const Number* x, const Extras&) {
  if (x[0].kind == Number::Kind::integer)
    return Number::of(x[0].integer < 0 ? wrap_sub(std::int64_t{0}, x[0].integer) : x[0].integer);
  return Number::of_real(x[0].kind == Number::Kind::complex ? std::abs(x[0].as_complex())
                                                            : std::abs(x[0].re));
}
Number reciprocal_fn(const Number* x, const Extras&) {
  if (x[0].kind == Number::Kind::complex) return Number::of_complex(1.0 / x[0].as_complex());
  return Number::of_real(1 / x[0].re);
}
Number rsqrt_fn(const Number* x, const Extras& e) {
  if (x[0].kind == Number::Kind::complex) return Number::of_complex(1.0 / std::sqrt(x[0].as_complex()));
  return Number::of_real(1 / rounded(e.dtype, std::sqrt(x[0].re)));
}
Number square_fn(const Number* x, const Extras&) { return mul_numbers(x[0], x[0]); }
Number sign_fn(const Number* x, const Extras&) {
  if (x[0].kind == Number::Kind::integer) return Number::of((x[0].integer > 0) - (x[0].integer < 0));
  return Number::of_real((x[0].re > 0) - (x[0].re < 0));
}
Number sgn_fn(const Number* x, const Extras& e) {
  if (x[0].kind != Number::Kind::complex) return sign_fn(x, e);
  const Complex z = x[0].as_complex();
  const double size = std::abs(z);
  return Number::of_complex(size == 0 ? Complex{0, 0} : z / size);
}
Number conj_fn(const Number* x, const Extras&) { return conjugate(x[0]); }
Number relu_fn(const Number* x, const Extras& e) {
  if (is_nan(x[0])) return x[0];
  const Number zero = convert(Number::of(0), e.dtype);
  return less_number(zero, x[0]) ? x[0] : zero;
}
Number signbit_fn(const Number* x, const Extras&) {
  return Number::of(x[0].kind == Number::Kind::integer ? x[0].integer < 0 : std::signbit(x[0].re));
}
Number isnan_fn(const Number* x, const Extras&) { return Number::of(is_nan(x[0]) ? 1 : 0); }
Number isinf_fn(const Number* x, const Extras&) {
  return Number::of(x[0].kind != Number::Kind::integer && (std::isinf(x[0].re) || std::isinf(x[0].im)) ? 1
                                                                                                       : 0);
}

double plain_sigmoid(double v) { return 1 / (1 + std::exp(-v)); }
double plain_frac(double v) { return v - std::trunc(v); }
double half_up_even(double v) { return std::nearbyint(v); }
double plain_exp2(double v) { return std::exp2(v); }
double tanh_gelu(double v, Dtype type) {
  const double inner = rounded(type, 0.7978845608028654 * (v + 0.044715 * v * v * v));
  return 0.5 * v * rounded(type, 1 + rounded(type, std::tanh(inner)));
}
double erf_gelu(double v, Dtype type) {  // 1 + erf loses digits in PyTorch, too
  const double erf = rounded(type, std::erf(rounded(type, v * 0.7071067811865476)));
  return 0.5 * v * rounded(type, 1 + erf);
}
double plain_silu(double v) { return v / (1 + std::exp(-v)); }
double plain_exp(double v) { return std::exp(v); }
double plain_log(double v) { return std::log(v); }
double plain_sin(double v) { return std::sin(v); }
double plain_cos(double v) { return std::cos(v); }
double plain_tan(double v) { return std::tan(v); }
double plain_tanh(double v) { return std::tanh(v); }
double plain_sqrt(double v) { return std::sqrt(v); }
double plain_log1p(double v) { return std::log1p(v); }
double plain_expm1(double v) { return std::expm1(v); }
double plain_log2(double v) { return std::log2(v); }
double plain_log10(double v) { return std::log10(v); }
double plain_erf(double v) { return std::erf(v); }
double plain_erfc(double v) { return std::erfc(v); }
double plain_atan(double v) { return std::atan(v); }
double plain_asin(double v) { return std::asin(v); }
double plain_acos(double v) { return std::acos(v); }
double plain_sinh(double v) { return std::sinh(v); }
double plain_cosh(double v) { return std::cosh(v); }
double plain_floor(double v) { return std::floor(v); }
double plain_ceil(double v) { return std::ceil(v); }
double plain_trunc(double v) { return std::trunc(v); }
Complex whole_exp(const Complex& v) { return std::exp(v); }
Complex whole_log(const Complex& v) { return std::log(v); }
Complex whole_sin(const Complex& v) { return std::sin(v); }
Complex whole_cos(const Complex& v) { return std::cos(v); }
Complex whole_tanh(const Complex& v) { return std::tanh(v); }
Complex whole_sqrt(const Complex& v) { return std::sqrt(v); }
Complex whole_tan(const Complex& v) { return std::tan(v); }
Complex whole_asin(const Complex& v) { return std::asin(v); }
Complex whole_acos(const Complex& v) { return std::acos(v); }
Complex whole_atan(const Complex& v) { return std::atan(v); }
Complex whole_sinh(const Complex& v) { return std::sinh(v); }
Complex whole_cosh(const Complex& v) { return std::cosh(v); }
Complex whole_asinh(const Complex& v) { return std::asinh(v); }
Complex whole_acosh(const Complex& v) { return std::acosh(v); }
Complex whole_atanh(const Complex& v) { return std::atanh(v); }
Complex whole_exp2(const Complex& v) { return std::exp(v * 0.69314718055994530942); }
Complex whole_expm1(const Complex& v) {
  const double half = std::sin(v.imag() / 2), e = std::exp(v.real());
  return {std::expm1(v.real()) * std::cos(v.imag()) - 2 * half * half, e * std::sin(v.imag())};
}
Complex whole_log1p(const Complex& v) { return std::log(1.0 + v); }
Complex whole_log2(const Complex& v) { return std::log(v) / 0.69314718055994530942; }
Complex whole_log10(const Complex& v) { return std::log10(v); }
Complex whole_sigmoid(const Complex& v) { return 1.0 / (1.0 + std::exp(-v)); }
Complex whole_silu(const Complex& v) { return v / (1.0 + std::exp(-v)); }
double plain_asinh(double v) { return std::asinh(v); }
double plain_acosh(double v) { return std::acosh(v); }
double plain_atanh(double v) { return std::atanh(v); }

Number gelu_fn(const Number* x, const Extras& e) {
  return Number::of_real(e.text(0) == "tanh" ? tanh_gelu(x[0].re, e.dtype) : erf_gelu(x[0].re, e.dtype));
}
Number softplus_fn(const Number* x, const Extras& e) {
  const double beta = e.number(0, 1).as_real(), threshold = e.number(1, 20).as_real();
  return Number::of_real(x[0].re * beta > threshold ? x[0].re : std::log1p(std::exp(x[0].re * beta)) / beta);
}
Number leaky_relu_fn(const Number* x, const Extras& e) {
  const double slope = e.has(0) ? e.number(0, 0).as_real() : 0.01;
  return Number::of_real(x[0].re > 0 ? x[0].re : x[0].re * rounded(e.dtype, slope));
}
Number round_fn(const Number* x, const Extras&) { return rounding_fn<half_up_even>(x, {}); }
/// Rounds to a number of decimal places; each step is rounded as in PyTorch.
Number round_decimals_fn(const Number* x, const Extras& e) {
  if (x[0].kind == Number::Kind::integer) return x[0];
  const std::int64_t places = e.number(0, 0).integer;
  if (places == 0) return round_fn(x, e);
  const double ten = rounded(e.dtype, std::pow(10.0, std::abs(static_cast<double>(places))));
  const double moved = rounded(e.dtype, places < 0 ? x[0].re / ten : x[0].re * ten);
  const double whole = std::nearbyint(moved);
  return Number::of_real(places < 0 ? whole * ten : whole / ten);
}

/// A complex argument gives a real result.
void run_abs(Call& call, const KernelRow& row) {
  KernelRow copy = row;
  copy.promotion = Promotion::to_real;
  const Datum& x = call.arg(0);
  if (x.kind == Datum::Kind::tensor && is_complex(x.tensor.at.dtype)) copy.variant = 5;
  run_pointwise(call, copy);
}

/// Squares of booleans are integers.
void run_square(Call& call, const KernelRow& row) {
  KernelRow copy = row;
  copy.promotion = Promotion::bool_to_integer;
  run_pointwise(call, copy);
}

/// False everywhere for integers, with the strides of the argument.
void run_isinf(Call& call, const KernelRow& row) {
  KernelRow copy = row;
  if (const Dtype type = call.tensor(0).at.dtype; is_integer(type) || type == Dtype::boolean)
    copy.variant = 5;
  if (call.ok()) run_pointwise(call, copy);
}

void run_no_bool(Call& call, const KernelRow& row) {
  if (call.arg(0).kind == Datum::Kind::tensor && call.arg(0).tensor.at.dtype == Dtype::boolean)
    return call.raise(std::string(row.op) + " is not implemented for bool");
  run_pointwise(call, row);
}

const KernelRow kUnaryRows[] = {
    {"neg.default", run_no_bool, neg_fn},
    {"abs.default", run_abs, abs_fn},
    {"reciprocal.default", run_pointwise, reciprocal_fn, Promotion::to_float},
    {"sqrt.default", run_pointwise, both_fn<plain_sqrt, whole_sqrt>, Promotion::to_float},
    {"rsqrt.default", run_pointwise, rsqrt_fn, Promotion::to_float},
    {"square.default", run_square, square_fn},
    {"exp.default", run_pointwise, both_fn<plain_exp, whole_exp>, Promotion::to_float},
    {"exp2.default", run_pointwise, both_fn<plain_exp2, whole_exp2>, Promotion::to_float},
    {"expm1.default", run_pointwise, both_fn<plain_expm1, whole_expm1>, Promotion::to_float},
    {"log.default", run_pointwise, both_fn<plain_log, whole_log>, Promotion::to_float},
    {"log1p.default", run_pointwise, both_fn<plain_log1p, whole_log1p>, Promotion::to_float},
    {"log2.default", run_pointwise, both_fn<plain_log2, whole_log2>, Promotion::to_float},
    {"log10.default", run_pointwise, both_fn<plain_log10, whole_log10>, Promotion::to_float},
    {"sin.default", run_pointwise, both_fn<plain_sin, whole_sin>, Promotion::to_float},
    {"cos.default", run_pointwise, both_fn<plain_cos, whole_cos>, Promotion::to_float},
    {"tan.default", run_pointwise, both_fn<plain_tan, whole_tan>, Promotion::to_float},
    {"asin.default", run_pointwise, both_fn<plain_asin, whole_asin>, Promotion::to_float},
    {"acos.default", run_pointwise, both_fn<plain_acos, whole_acos>, Promotion::to_float},
    {"atan.default", run_pointwise, both_fn<plain_atan, whole_atan>, Promotion::to_float},
    {"sinh.default", run_pointwise, both_fn<plain_sinh, whole_sinh>, Promotion::to_float},
    {"cosh.default", run_pointwise, both_fn<plain_cosh, whole_cosh>, Promotion::to_float},
    {"tanh.default", run_pointwise, both_fn<plain_tanh, whole_tanh>, Promotion::to_float},
    {"sigmoid.default", run_pointwise, both_fn<plain_sigmoid, whole_sigmoid>, Promotion::to_float},
    {"asinh.default", run_pointwise, both_fn<plain_asinh, whole_asinh>, Promotion::to_float},
    {"acosh.default", run_pointwise, both_fn<plain_acosh, whole_acosh>, Promotion::to_float},
    {"atanh.default", run_pointwise, both_fn<plain_atanh, whole_atanh>, Promotion::to_float},
    {"sgn.default", run_pointwise, sgn_fn},
    {"_conj_physical.default", run_pointwise, conj_fn, Promotion::same, 1, 5},
    {"erf.default", run_pointwise, real_fn<plain_erf>, Promotion::to_float},
    {"erfc.default", run_pointwise, real_fn<plain_erfc>, Promotion::to_float},
    {"relu.default", run_no_bool, relu_fn},
    {"gelu.default", run_pointwise, gelu_fn},
    {"silu.default", run_pointwise, both_fn<plain_silu, whole_silu>},
    {"softplus.default", run_pointwise, softplus_fn},
    {"leaky_relu.default", run_pointwise, leaky_relu_fn},
    {"floor.default", run_pointwise, rounding_fn<plain_floor>},
    {"ceil.default", run_pointwise, rounding_fn<plain_ceil>},
    {"trunc.default", run_pointwise, rounding_fn<plain_trunc>},
    {"round.default", run_pointwise, round_fn},
    {"round.decimals", run_pointwise, round_decimals_fn},
    {"frac.default", run_pointwise, real_fn<plain_frac>},
    {"sign.default", run_pointwise, sign_fn},
    {"signbit.default", run_pointwise, signbit_fn, Promotion::compare},
    {"isnan.default", run_pointwise, isnan_fn, Promotion::compare},
    {"isinf.default", run_isinf, isinf_fn, Promotion::compare},
    {"prims_neg.default", run_pointwise, neg_fn},
    {"prims_sqrt.default", run_pointwise, both_fn<plain_sqrt, whole_sqrt>, Promotion::to_float},
    {"prims_rsqrt.default", run_pointwise, rsqrt_fn, Promotion::to_float},
    {"prims_reciprocal.default", run_pointwise, reciprocal_fn, Promotion::to_float},
    {"prims_exp.default", run_pointwise, both_fn<plain_exp, whole_exp>, Promotion::to_float},
    {"prims_exp2.default", run_pointwise, both_fn<plain_exp2, whole_exp2>, Promotion::to_float},
    {"prims_log.default", run_pointwise, both_fn<plain_log, whole_log>, Promotion::to_float},
    {"prims_sin.default", run_pointwise, both_fn<plain_sin, whole_sin>, Promotion::to_float},
    {"prims_cos.default", run_pointwise, both_fn<plain_cos, whole_cos>, Promotion::to_float},
    {"prims_tanh.default", run_pointwise, both_fn<plain_tanh, whole_tanh>, Promotion::to_float},
    {"prims_erf.default", run_pointwise, real_fn<plain_erf>, Promotion::to_float},
    {"prims_round.default", run_pointwise, rounding_fn<half_up_even>},
};

}  // namespace

std::span<const KernelRow> unary_kernels() { return kUnaryRows; }

}  // namespace noclobber
