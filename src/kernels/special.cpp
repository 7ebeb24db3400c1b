// Rarer pointwise functions, and losses.
#include <algorithm>
#include <limits>

#include "src/kernels/kernels.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

constexpr double kPi = 3.14159265358979323846;

Number plain(double value) { return Number::of_real(value); }

Number hardshrink_fn(const Number* x, const Extras& e) {
  const double bound = rounded(e.dtype, e.number(0, 0).as_real());
  return x[0].re >= -bound && x[0].re <= bound ? plain(0) : x[0];
}
Number softshrink_fn(const Number* x, const Extras& e) {
  const double bound = rounded(e.dtype, e.number(0, 0).as_real()), v = x[0].re;
  return plain(v > bound ? v - bound : v < -bound ? v + bound : v * 0);
}
Number logit_fn(const Number* x, const Extras& e) {
  double v = x[0].re;
  if (e.has(0)) {
    const double eps = rounded(e.dtype, e.number(0, 0).as_real()), high = rounded(e.dtype, 1 - eps);
    v = v < eps ? eps : v > high ? high : v;
  }
  return plain(std::log(rounded(e.dtype, v / rounded(e.dtype, 1 - v))));
}
Number xlogy_fn(const Number* x, const Extras&) {
  if (std::isnan(x[1].as_real())) return x[1];
  if (x[0].as_real() == 0) return plain(0);
  return plain(x[0].as_real() * std::log(x[1].as_real()));
}
Number xlog1py_fn(const Number* x, const Extras&) {
  if (std::isnan(x[1].as_real())) return x[1];
  if (x[0].as_real() == 0) return plain(0);
  return plain(x[0].as_real() * std::log1p(x[1].as_real()));
}
Number logaddexp_fn(const Number* x, const Extras& e) {
  if (x[0].kind != Number::Kind::real) {
    e.call->decline("logaddexp of other than real numbers");
    return x[0];
  }
  const double a = x[0].re, b = x[1].re;
  if (std::isinf(a) && a == b) return x[0];
  const double most = std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
  return plain(most + rounded(e.dtype, std::log1p(std::exp(-std::abs(rounded(e.dtype, a - b))))));
}
Number logaddexp2_fn(const Number* x, const Extras& e) {
  if (x[0].kind != Number::Kind::real) {
    e.call->decline("logaddexp2 of other than real numbers");
    return x[0];
  }
  const double a = x[0].re, b = x[1].re;
  if (std::isinf(a) && a == b) return x[0];
  const double most = std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
  const double part = std::log1p(std::exp2(-std::abs(rounded(e.dtype, a - b))));
  return plain(most + rounded(e.dtype, part * 1.44269504088896340736));
}
Number heaviside_fn(const Number* x, const Extras&) {
  if (x[0].as_real() == 0) return x[1];
  const std::int64_t step = x[0].as_real() > 0 ? 1 : 0;
  return x[0].kind == Number::Kind::integer ? Number::of(step) : plain(static_cast<double>(step));
}
std::int64_t magnitude_of(const Number& n) {
  return n.integer < 0 ? wrap_sub(std::int64_t{0}, n.integer) : n.integer;
}
/// Euclid's algorithm. It also handles the least integer, which is its own magnitude: std::gcd is undefined
/// for it.
std::int64_t common_divisor(const Number* x) {
  std::int64_t a = magnitude_of(x[0]), b = magnitude_of(x[1]);
  while (a != 0) {
    const std::int64_t rest = a == -1 ? 0 : b % a;
    b = a;
    a = rest;
  }
  return b;
}
Number gcd_fn(const Number* x, const Extras&) { return Number::of(common_divisor(x)); }
Number lcm_fn(const Number* x, const Extras&) {
  const std::int64_t a = magnitude_of(x[0]), b = magnitude_of(x[1]), common = common_divisor(x);
  return Number::of(common == 0 ? 0 : wrap_mul(common == -1 ? wrap_sub(std::int64_t{0}, a) : a / common, b));
}
Number nan_to_num_fn(const Number* x, const Extras& e) {
  if (x[0].kind == Number::Kind::integer) return x[0];
  if (x[0].kind == Number::Kind::complex) {
    e.call->decline("nan_to_num of complex numbers");
    return x[0];
  }
  const double v = x[0].re;
  if (std::isnan(v)) return plain(e.has(0) ? e.number(0, 0).as_real() : 0);
  if (!std::isinf(v)) return x[0];
  const std::size_t at = v > 0 ? 1 : 2;
  if (e.has(at)) return plain(e.number(at, 0).as_real());
  const double most = e.dtype == Dtype::f64   ? std::numeric_limits<double>::max()
                      : e.dtype == Dtype::f16 ? 65504.0
                      : e.dtype == Dtype::f32 ? static_cast<double>(std::numeric_limits<float>::max())
                                              : 3.3895313892515355e38;
  return plain(v > 0 ? most : -most);
}
Number deg2rad_fn(const Number* x, const Extras& e) {
  return plain(x[0].as_real() * rounded(e.dtype, kPi / 180));
}
Number rad2deg_fn(const Number* x, const Extras& e) {
  return plain(x[0].as_real() * rounded(e.dtype, 180 / kPi));
}
Number sinc_fn(const Number* x, const Extras& e) {
  if (x[0].kind == Number::Kind::complex) {
    e.call->decline("sinc of complex numbers");
    return x[0];
  }
  if (x[0].re == 0) return plain(1);
  const double product = rounded(e.dtype, rounded(e.dtype, kPi) * x[0].re);
  return plain(std::sin(product) / product);
}
Number mish_fn(const Number* x, const Extras& e) {
  return plain(x[0].re * std::tanh(rounded(e.dtype, std::log1p(rounded(e.dtype, std::exp(x[0].re))))));
}
Number lgamma_fn(const Number* x, const Extras&) {
  int sign = 0;
  return plain(std::isinf(x[0].re) ? std::abs(x[0].re) : lgamma_r(x[0].re, &sign));
}
Number prelu_fn(const Number* x, const Extras&) { return x[0].re > 0 ? x[0] : plain(x[1].re * x[0].re); }
Number nextafter_fn(const Number* x, const Extras& e) {
  if (e.dtype == Dtype::f64) return plain(std::nextafter(x[0].re, x[1].re));
  if (e.dtype == Dtype::f32)
    return plain(std::nextafter(static_cast<float>(x[0].re), static_cast<float>(x[1].re)));
  e.call->decline("nextafter of this dtype");
  return x[0];
}
Number isfinite_fn(const Number* x, const Extras&) {
  return Number::of(x[0].kind == Number::Kind::integer || (std::isfinite(x[0].re) && std::isfinite(x[0].im)));
}
Number entr_fn(const Number* x, const Extras&) {
  const double v = x[0].re;
  return plain(std::isnan(v) ? v
               : v > 0       ? -v * std::log(v)
               : v == 0      ? 0
                             : -std::numeric_limits<double>::infinity());
}
Number cbrt_fn(const Number* x, const Extras&) { return plain(std::cbrt(x[0].re)); }
/// One term of a loss of `x[0]` against the target `x[1]`; `width` is beta or delta.
using LossFunction = double (*)(const double* x, double width, Dtype type);

double squared_loss(const double* x, double, Dtype) { return (x[0] - x[1]) * (x[0] - x[1]); }
double smooth_loss(const double* x, double beta, Dtype) {
  const double gap = std::abs(x[0] - x[1]);
  return gap < beta ? 0.5 * gap * gap / beta : gap - 0.5 * beta;
}
double huber_loss(const double* x, double delta, Dtype) {
  const double gap = std::abs(x[0] - x[1]);
  return gap < delta ? 0.5 * gap * gap : delta * (gap - 0.5 * delta);
}
/// Four operators, each of which rounds to the type.
double margin_loss(const double* x, double, Dtype type) {
  const double product = convert(Number::of_real(-x[0] * x[1]), type).re;
  return convert(Number::of_real(std::log1p(convert(Number::of_real(std::exp(product)), type).re)), type).re;
}

constexpr LossFunction kLosses[] = {squared_loss, smooth_loss, huber_loss, margin_loss};

/// loss(self, target, reduction, [beta]): all terms, their mean or their sum. variant: the index in kLosses.
void run_loss(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0), y = call.tensor(1);
  const std::int64_t reduction = call.integer(2, 1);
  const double width = call.real(3, 1);
  if (!call.ok()) return;
  const auto shape = broadcast_shapes(x.at.shape, y.at.shape);
  if (!shape) return call.raise("the sizes of the operands do not broadcast");
  // Losses of several iterators write to memory of the first operand's type.
  const Dtype dtype = row.variant >= 2 ? x.at.dtype : promote(x.at.dtype, y.at.dtype);
  const bool ranked = x.at.dtype == y.at.dtype || (!x.at.shape.empty() && !y.at.shape.empty());
  if (!ranked || !is_floating(x.at.dtype) || !is_floating(y.at.dtype))
    return call.decline("a loss of other types");
  const Geometry both[] = {x.at, y.at};
  const bool each = reduction == 0;
  const Array out =
      each ? call.output(dtype, *shape, iterator_strides(both, *shape)) : call.output(dtype, Extents{});
  const std::int64_t count = *element_count(*shape);
  if (!call.ok() || !call.spend({count})) return;
  const Elements from(x.at, *shape), target(y.at, *shape), to(out.at);
  double sum = 0;
  call.begin();
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    if (each) call.begin();
    const double pair[] = {call.load(x, from.at(k)).re, call.load(y, target.at(k)).re};
    const double term = kLosses[row.variant](pair, width, dtype);
    if (each) call.store(out, to.at(k), Number::of_real(term));
    sum += each ? 0 : term;
  }
  if (!each)
    call.store(out, to.at(0), Number::of_real(reduction == 1 ? sum / static_cast<double>(count) : sum));
}

constexpr KernelRow loss_row(std::string_view op, int variant) {
  return {op, run_loss, nullptr, Promotion::same, 2, variant};
}

const KernelRow kSpecialRows[] = {
    {"hardshrink.default", run_pointwise, hardshrink_fn},
    {"softshrink.default", run_pointwise, softshrink_fn},
    {"logit.default", run_pointwise, logit_fn, Promotion::to_float},
    {"xlogy.Tensor", run_pointwise, xlogy_fn, Promotion::to_float, 2},
    {"xlogy.Scalar_Self", run_pointwise, xlogy_fn, Promotion::to_float, 2},
    {"xlogy.Scalar_Other", run_pointwise, xlogy_fn, Promotion::to_float, 2},
    {"special_xlog1py.default", run_pointwise, xlog1py_fn, Promotion::to_float, 2},
    {"special_xlog1py.self_scalar", run_pointwise, xlog1py_fn, Promotion::to_float, 2},
    {"special_xlog1py.other_scalar", run_pointwise, xlog1py_fn, Promotion::to_float, 2},
    {"logaddexp.default", run_pointwise, logaddexp_fn, Promotion::same, 2},
    {"logaddexp2.default", run_pointwise, logaddexp2_fn, Promotion::same, 2},
    {"heaviside.default", run_pointwise, heaviside_fn, Promotion::same, 2},
    {"gcd.default", run_pointwise, gcd_fn, Promotion::same, 2},
    {"lcm.default", run_pointwise, lcm_fn, Promotion::same, 2},
    {"nan_to_num.default", run_pointwise, nan_to_num_fn},
    {"deg2rad.default", run_pointwise, deg2rad_fn, Promotion::to_float, 1, 5},
    {"rad2deg.default", run_pointwise, rad2deg_fn, Promotion::to_float, 1, 5},
    {"sinc.default", run_pointwise, sinc_fn, Promotion::to_float},
    {"mish.default", run_pointwise, mish_fn},
    {"lgamma.default", run_pointwise, lgamma_fn, Promotion::to_float},
    {"_prelu_kernel.default", run_pointwise, prelu_fn, Promotion::same, 2, 5},
    {"nextafter.default", run_pointwise, nextafter_fn, Promotion::same, 2},
    {"isfinite.default", run_pointwise, isfinite_fn, Promotion::compare},
    {"special_entr.default", run_pointwise, entr_fn, Promotion::to_float},
    {"cbrt.default", run_pointwise, cbrt_fn, Promotion::to_float},
    loss_row("mse_loss.default", 0),
    loss_row("smooth_l1_loss.default", 1),
    loss_row("huber_loss.default", 2),
    loss_row("soft_margin_loss.default", 3),
};

}  // namespace

std::span<const KernelRow> special_kernels() { return kSpecialRows; }

}  // namespace noclobber
