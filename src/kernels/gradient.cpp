// Derivatives of views, and of rarer activations and losses; complex numbers from real ones.
#include <algorithm>
#include <complex>

#include "src/kernels/kernels.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

Number slope(double value) { return Number::of_real(value); }

/// elu_backward(grad, alpha, scale, input_scale, is_result, self_or_result): operands are moved to the front.
Number elu_backward_fn(const Number* x, const Extras& e) {
  const double alpha = rounded(e.dtype, e.number(0, 1).as_real()),
               scale = rounded(e.dtype, e.number(1, 1).as_real());
  const double input = rounded(e.dtype, e.number(2, 1).as_real()), negative = rounded(e.dtype, alpha * scale);
  const double v = x[1].re;
  if (v > 0) return slope(x[0].re * scale);
  if (std::isnan(v)) return slope(v);
  if (e.number(3, 0).truthy()) return slope(x[0].re * input * (v + negative));
  return slope(x[0].re * input * negative * std::exp(v * input));
}
void run_elu_backward(Call& call, const KernelRow& row) {
  call.args.resize(6);
  std::rotate(call.args.begin() + 1, call.args.begin() + 5, call.args.end());
  run_pointwise(call, row);
}

Number mish_backward_fn(const Number* x, const Extras&) {
  const double v = x[1].re, s = 1 / (1 + std::exp(-v)), t = std::tanh(std::log1p(std::exp(v)));
  return slope(x[0].re * (t + v * s * (1 - t * t)));
}
/// PyTorch's result has the argument's dtype, whatever the gradient's is. A gradient of another dtype is
/// declined.
void run_mish_backward(Call& call, const KernelRow& row) {
  if (call.tensor(0).at.dtype != call.tensor(1).at.dtype) return call.decline("a gradient of another type");
  run_pointwise(call, row);
}
/// For hardshrink and softshrink.
Number shrink_backward_fn(const Number* x, const Extras& e) {
  const double bound = rounded(e.dtype, e.number(0, 0).as_real());
  return x[1].re < -bound || x[1].re > bound ? x[0] : slope(0);
}
Number logit_backward_fn(const Number* x, const Extras& e) {
  const double v = x[1].re, eps = e.has(0) ? rounded(e.dtype, e.number(0, 0).as_real()) : 0;
  if (e.has(0) && !(v >= eps && v <= rounded(e.dtype, 1 - eps))) return slope(0);
  if (v < 0 || v > 1) return slope(std::nan(""));
  return slope(x[0].re / (v * (1 - v)));
}
/// The third operand is exp(-|x|), which the forward operator returned.
Number log_sigmoid_backward_fn(const Number* x, const Extras&) {
  const double far = x[1].re < 0 ? 1 : 0, sign = x[1].re < 0 ? 1 : -1, z = x[2].re;
  return slope(x[0].re * (far - sign * (z / (1 + z))));
}

Dtype complex_of(Dtype real) { return real == Dtype::f64 ? Dtype::c128 : Dtype::c64; }

/// variant 0: complex(real, imag), 1: polar(abs, angle).
void run_complex(Call& call, const KernelRow& row) {
  const Array a = call.tensor(0), b = call.tensor(1);
  if (!call.ok()) return;
  if (a.at.dtype != b.at.dtype || (a.at.dtype != Dtype::f32 && a.at.dtype != Dtype::f64))
    return call.decline("complex numbers of such parts");
  const auto shape = broadcast_shapes(a.at.shape, b.at.shape);
  if (!shape) return call.raise("the sizes of the operands do not broadcast");
  const Geometry both[] = {a.at, b.at};
  const Array out = call.output(complex_of(a.at.dtype), *shape, iterator_strides(both, *shape));
  const std::int64_t count = out.at.numel();
  if (!call.spend({count})) return;
  const Elements first(a.at, *shape), second(b.at, *shape), to(out.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    call.begin();
    const double x = call.load(a, first.at(k)).re, y = call.load(b, second.at(k)).re;
    const std::complex<double> value(row.variant == 0 ? x : x * std::cos(y),
                                     row.variant == 0 ? y : x * std::sin(y));
    call.store(out, to.at(k), Number::of_complex(value));
  }
}

Number angle_fn(const Number* x, const Extras&) {
  if (x[0].kind == Number::Kind::complex) return slope(std::arg(x[0].as_complex()));
  const double v = x[0].as_real();
  return slope(std::isnan(v) ? v : v < 0 ? 3.14159265358979323846 : 0);
}
/// A complex argument gives a real result.
void run_angle(Call& call, const KernelRow& row) {
  KernelRow copy = row;
  const Dtype type = call.tensor(0).at.dtype;
  copy.promotion = is_complex(type) ? Promotion::to_real : Promotion::to_float;
  if (is_complex(type)) copy.variant = 5;
  if (call.ok()) run_pointwise(call, copy);
}

/// Stores the gradient into the view `view` of a tensor of zeros.
template <class View>
void inside_zeros(Call& call, const Extents& shape, View view) {
  const Array grad = call.tensor(0);
  const Array out = call.output(grad.at.dtype, shape);
  call.begin();
  if (!call.ok()) return;
  fill_elements(call, out, Number::of(0));
  const std::optional<Geometry> at = view(out.at);
  if (!at || !call.ok()) return;
  if (at->shape != grad.at.shape) return call.raise("the gradient has another shape than the view");
  copy_elements(call, grad, Array{*at, out.memory});
}

/// variant 0: slice_backward, 1: select_backward, 2: diagonal_backward.
void run_view_backward(Call& call, const KernelRow& row) {
  inside_zeros(call, call.integers(1), [&](const Geometry& g) {
    if (row.variant == 2)
      return diagonal_geometry(call, g, call.integer(2, 0), call.integer(3, 0), call.integer(4, 1));
    const std::int64_t dim = call.dim(2, 0, g.rank());
    return row.variant == 1 ? select_geometry(call, g, dim, call.integer(3, 0))
                            : slice_geometry(call, g, dim, call.arg(3), call.arg(4), call.integer(5, 1));
  });
}

/// Stores the last dimension as a diagonal of a tensor of zeros.
void run_diag_embed(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const std::int64_t offset = call.integer(1, 0), rank = x.at.rank() + 1;
  const std::int64_t a = call.dim(2, -2, rank), b = call.dim(3, -1, rank);
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  if (call.ok() && (x.at.shape.empty() || a == b || offset > kFar || offset < -kFar))
    call.raise("diag_embed: not two dimensions, or far beyond them");
  if (!call.ok()) return;
  Extents shape(x.at.shape.begin(), x.at.shape.end() - 1);
  const std::int64_t side = x.at.shape.back() + std::abs(offset);
  for (const std::int64_t dim : {std::min(a, b), std::max(a, b)}) shape.insert(shape.begin() + dim, side);
  inside_zeros(call, shape, [&](const Geometry& g) { return diagonal_geometry(call, g, offset, a, b); });
}

const KernelRow kGradientRows[] = {
    {"slice_backward.default", run_view_backward},
    {"select_backward.default", run_view_backward, nullptr, Promotion::same, 1, 1},
    {"diagonal_backward.default", run_view_backward, nullptr, Promotion::same, 1, 2},
    {"diag_embed.default", run_diag_embed},
    {"elu_backward.default", run_elu_backward, elu_backward_fn, Promotion::same, 2},
    {"mish_backward.default", run_mish_backward, mish_backward_fn, Promotion::same, 2},
    {"hardshrink_backward.default", run_pointwise, shrink_backward_fn, Promotion::same, 2},
    {"softshrink_backward.default", run_pointwise, shrink_backward_fn, Promotion::same, 2},
    {"logit_backward.default", run_pointwise, logit_backward_fn, Promotion::same, 2},
    {"log_sigmoid_backward.default", run_pointwise, log_sigmoid_backward_fn, Promotion::same, 3, 5},
    {"complex.default", run_complex, nullptr, Promotion::same, 2, 0},
    {"polar.default", run_complex, nullptr, Promotion::same, 2, 1},
    {"angle.default", run_angle, angle_fn, Promotion::to_float},
};

}  // namespace

std::span<const KernelRow> gradient_kernels() { return kGradientRows; }

}  // namespace noclobber
