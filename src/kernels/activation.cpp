// Activations and the derivatives of pointwise functions.
#include <algorithm>

#include "src/kernels/axes.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

Number derivative(double value) { return Number::of_real(value); }

Number tanh_backward_fn(const Number* x, const Extras& e) {
  if (x[0].kind == Number::Kind::complex)
    return Number::of_complex(x[0].as_complex() * std::conj(1.0 - x[1].as_complex() * x[1].as_complex()));
  return derivative(x[0].re * rounded(e.dtype, 1 - rounded(e.dtype, x[1].re * x[1].re)));
}
Number sigmoid_backward_fn(const Number* x, const Extras& e) {
  if (x[0].kind == Number::Kind::complex)
    return Number::of_complex(x[0].as_complex() * std::conj((1.0 - x[1].as_complex()) * x[1].as_complex()));
  return derivative(rounded(e.dtype, x[0].re * rounded(e.dtype, 1 - x[1].re)) * x[1].re);
}
Number silu_backward_fn(const Number* x, const Extras&) {
  const double s = 1 / (1 + std::exp(-x[1].re));
  return derivative(x[0].re * s * (1 + x[1].re * (1 - s)));
}
Number gelu_backward_fn(const Number* x, const Extras& e) {
  const double v = x[1].re;
  if (e.text(0) == "tanh") {
    const double beta = 0.79788456080286535588, t = std::tanh(beta * (v + 0.044715 * v * v * v));
    return derivative(x[0].re * (0.5 * (1 + t) + 0.5 * v * (1 - t * t) * beta * (1 + 3 * 0.044715 * v * v)));
  }
  const double cdf = 0.5 * (1 + std::erf(v * 0.70710678118654752440));
  return derivative(x[0].re * (cdf + v * std::exp(-0.5 * v * v) * 0.39894228040143267794));
}
/// A gradient of single precision is rounded to bf16 if the argument is bf16, and so is the result.
Number gelu_backward_narrow_fn(const Number* x, const Extras& e) {
  const Number narrow[] = {convert(x[0], Dtype::bf16), x[1]};
  return convert(gelu_backward_fn(narrow, e), Dtype::bf16);
}
void run_gelu_backward(Call& call, const KernelRow& row) {
  KernelRow copy = row;
  const Dtype grad = call.tensor(0).at.dtype, of = call.tensor(1).at.dtype;
  if (grad == Dtype::f32 && of == Dtype::bf16 && call.tensor(1).at.rank() > 0 &&
      is_contiguous(call.tensor(1).at) && call.text(2) != "tanh")
    copy.pointwise = gelu_backward_narrow_fn;
  if (call.ok()) run_pointwise(call, copy);
}
Number leaky_relu_backward_fn(const Number* x, const Extras& e) {
  return derivative(x[1].re > 0 ? x[0].re : x[0].re * rounded(e.dtype, e.number(0, 0).as_real()));
}
Number softplus_backward_fn(const Number* x, const Extras& e) {
  const double beta = e.number(0, 1).as_real(), z = std::exp(x[1].re * beta);
  if (x[1].re * beta > e.number(1, 20).as_real()) return x[0];
  return derivative(x[0].re * z / (z + 1));
}
Number hardtanh_fn(const Number* x, const Extras& e) {
  if (is_nan(x[0])) return x[0];
  const Number low = convert(e.has(0) ? e.number(0, -1) : Number::of(-1), e.dtype);
  const Number high = convert(e.has(1) ? e.number(1, 1) : Number::of(1), e.dtype);
  const Number at_least = less_number(x[0], low) ? low : x[0];
  return less_number(high, at_least) ? high : at_least;
}
Number hardtanh_backward_fn(const Number* x, const Extras& e) {
  const double low = rounded(e.dtype, e.number(0, -1).as_real()),
               high = rounded(e.dtype, e.number(1, 1).as_real());
  const bool narrow = opmath(e.dtype) != e.dtype;  // only then does NaN count as inside
  return derivative((x[1].re > low && x[1].re < high) || (narrow && is_nan(x[1])) ? x[0].re : 0);
}
Number hardsigmoid_fn(const Number* x, const Extras& e) {
  if (is_nan(x[0])) return x[0];
  return derivative(rounded(e.dtype, std::min(std::max(x[0].re + 3, 0.0), 6.0)) / 6);
}
Number hardsigmoid_backward_fn(const Number* x, const Extras&) {
  return derivative(x[1].re > -3 && x[1].re < 3 ? x[0].re * static_cast<double>(1.0F / 6.0F) : 0);
}
Number hardswish_fn(const Number* x, const Extras& e) {
  if (is_nan(x[0])) return x[0];
  return derivative(rounded(e.dtype, x[0].re * rounded(e.dtype, std::min(std::max(x[0].re + 3, 0.0), 6.0))) /
                    6);
}
Number hardswish_backward_fn(const Number* x, const Extras& e) {
  if (x[1].re <= -3) return derivative(0);
  if (x[1].re >= 3) return x[0];
  return derivative(x[0].re * rounded(e.dtype, rounded(e.dtype, x[1].re / 3) + 0.5));
}
Number elu_fn(const Number* x, const Extras& e) {
  const double alpha = e.number(0, 1).as_real(), scale = e.number(1, 1).as_real(),
               input = e.number(2, 1).as_real();
  return derivative(x[0].re < 0 ? std::expm1(x[0].re * input) * alpha * scale : x[0].re * scale);
}
Number threshold_fn(const Number* x, const Extras& e) {
  return !less_number(convert(e.number(0, 0), e.dtype), x[0]) && !is_nan(x[0])
             ? convert(e.number(1, 0), e.dtype)
             : x[0];
}
Number dropout_backward_fn(const Number* x, const Extras& e) {
  return mul_numbers(mul_numbers(x[0], x[1]), Number::of_real(rounded(e.dtype, e.number(0, 1).as_real())));
}

Number copysign_fn(const Number* x, const Extras&) {
  return derivative(std::copysign(x[0].as_real(), x[1].as_real()));
}
Number hypot_fn(const Number* x, const Extras&) { return derivative(std::hypot(x[0].re, x[1].re)); }
Number fmax_fn(const Number* x, const Extras&) {
  if (is_nan(x[0]) || is_nan(x[1])) return is_nan(x[0]) ? x[1] : x[0];
  return less_number(x[0], x[1]) ? x[1] : x[0];
}
Number fmin_fn(const Number* x, const Extras&) {
  if (is_nan(x[0]) || is_nan(x[1])) return is_nan(x[0]) ? x[1] : x[0];
  return less_number(x[1], x[0]) ? x[1] : x[0];
}
Number isposinf_fn(const Number* x, const Extras&) {
  return Number::of(x[0].kind == Number::Kind::real && std::isinf(x[0].re) && x[0].re > 0 ? 1 : 0);
}
Number isneginf_fn(const Number* x, const Extras&) {
  return Number::of(x[0].kind == Number::Kind::real && std::isinf(x[0].re) && x[0].re < 0 ? 1 : 0);
}

/// variant 0: of softmax, 1: of log_softmax. Arguments: grad_output, output, dim, input dtype.
void run_softmax_backward(Call& call, const KernelRow& row) {
  const Array grad = call.tensor(0), y = call.tensor(1);
  const std::int64_t dim = call.dim(2, 0, grad.at.rank());
  if (call.ok() && grad.at.shape != y.at.shape) call.raise("softmax backward: grad_output has another shape");
  // The output may be narrower only if the input was widened from that dtype.
  const Dtype input = call.dtype(3, grad.at.dtype);
  if (call.ok() && input != grad.at.dtype && (grad.at.dtype != Dtype::f32 || input != Dtype::f16))
    call.raise("softmax backward: grad_output has another type than the input had");
  if (!call.ok()) return;
  const Array out = call.output(input, grad.at.shape);
  const auto g = axes_of(call, grad.at, {dim}, true), o = axes_of(call, y.at, {dim}, true),
             t = axes_of(call, out.at, {dim}, true);
  if (!call.ok() || !g || !o || !t) return;
  const std::int64_t outer = g->kept.numel(), inner = g->reduced.numel();
  if (!call.spend({outer, std::max<std::int64_t>(inner, 1), 2})) return;
  const Elements gk(g->kept), gr(g->reduced), ok(o->kept), orr(o->reduced), tk(t->kept), tr(t->reduced);
  for (std::int64_t i = 0; i < outer && call.ok(); ++i) {
    call.begin();
    double sum = 0;
    for (std::int64_t j = 0; j < inner; ++j) {
      const double dy = call.load(grad, gk.at(i) + gr.at(j)).as_real();
      sum += row.variant == 0 ? dy * call.load(y, ok.at(i) + orr.at(j)).as_real() : dy;
    }
    for (std::int64_t j = 0; j < inner && call.ok(); ++j) {
      const double dy = call.load(grad, gk.at(i) + gr.at(j)).as_real();
      const double v = call.load(y, ok.at(i) + orr.at(j)).as_real();
      call.store(out, tk.at(i) + tr.at(j),
                 Number::of_real(row.variant == 0 ? (dy - sum) * v : dy - std::exp(v) * sum));
    }
  }
}

const KernelRow kActivationRows[] = {
    {"tanh_backward.default", run_pointwise, tanh_backward_fn, Promotion::same, 2},
    {"sigmoid_backward.default", run_pointwise, sigmoid_backward_fn, Promotion::same, 2},
    {"silu_backward.default", run_pointwise, silu_backward_fn, Promotion::same, 2},
    {"gelu_backward.default", run_gelu_backward, gelu_backward_fn, Promotion::same, 2},
    {"leaky_relu_backward.default", run_pointwise, leaky_relu_backward_fn, Promotion::same, 2, 1},
    {"softplus_backward.default", run_pointwise, softplus_backward_fn, Promotion::same, 2},
    {"hardtanh.default", run_pointwise, hardtanh_fn, Promotion::same, 1, 5},
    {"hardtanh_backward.default", run_pointwise, hardtanh_backward_fn, Promotion::same, 2},
    {"hardsigmoid.default", run_pointwise, hardsigmoid_fn},
    {"hardsigmoid_backward.default", run_pointwise, hardsigmoid_backward_fn, Promotion::same, 2},
    {"hardswish.default", run_pointwise, hardswish_fn},
    {"hardswish_backward.default", run_pointwise, hardswish_backward_fn, Promotion::same, 2},
    {"elu.default", run_pointwise, elu_fn},
    {"threshold.default", run_pointwise, threshold_fn},
    {"native_dropout_backward.default", run_pointwise, dropout_backward_fn, Promotion::to_float, 2},
    {"copysign.Tensor", run_pointwise, copysign_fn, Promotion::to_float, 2},
    {"copysign.Scalar", run_pointwise, copysign_fn, Promotion::to_float, 2},
    {"hypot.default", run_pointwise, hypot_fn, Promotion::same, 2},
    {"fmax.default", run_pointwise, fmax_fn, Promotion::same, 2},
    {"fmin.default", run_pointwise, fmin_fn, Promotion::same, 2},
    {"isposinf.default", run_pointwise, isposinf_fn, Promotion::compare},
    {"isneginf.default", run_pointwise, isneginf_fn, Promotion::compare},
    {"_softmax_backward_data.default", run_softmax_backward},
    {"_log_softmax_backward_data.default", run_softmax_backward, nullptr, Promotion::same, 1, 1},
};

}  // namespace

std::span<const KernelRow> activation_kernels() { return kActivationRows; }

}  // namespace noclobber
