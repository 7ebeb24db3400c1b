// Softmax and layer norm.
#include <algorithm>

#include "src/kernels/axes.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

/// variant 0: _softmax, 1: _log_softmax.
void run_softmax(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const std::int64_t dim = call.dim(1, 0, x.at.rank());
  const Dtype dtype = call.boolean(2, false) ? Dtype::f32 : x.at.dtype;
  if (call.ok() && !is_floating(x.at.dtype)) return call.raise("softmax is not implemented for this dtype");
  const auto axes = axes_of(call, x.at, {dim}, true);
  if (!axes) return;
  const Array out = call.output(dtype, x.at.shape);
  const auto to = axes_of(call, out.at, {dim}, true);
  const std::int64_t outer = axes->kept.numel(), inner = axes->reduced.numel();
  if (!call.ok() || !to || !call.spend({outer, std::max<std::int64_t>(inner, 1), 3})) return;
  const Elements kept(axes->kept), along(axes->reduced), out_kept(to->kept), out_along(to->reduced);
  for (std::int64_t i = 0; i < outer && call.ok(); ++i) {
    call.begin();
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t j = 0; j < inner; ++j)
      most = std::fmax(most, call.load(x, kept.at(i) + along.at(j)).re);
    for (std::int64_t j = 0; j < inner; ++j)
      sum += std::exp(call.load(x, kept.at(i) + along.at(j)).re - most);
    for (std::int64_t j = 0; j < inner; ++j) {
      const double gap = call.load(x, kept.at(i) + along.at(j)).re - most;
      call.store(out, out_kept.at(i) + out_along.at(j),
                 Number::of_real(row.variant == 0 ? std::exp(gap) / sum : gap - std::log(sum)));
    }
  }
}

Number affine(Call& call, double value, const Array* weight, const Array* bias, std::int64_t j) {
  if (weight) value *= call.load(*weight, Elements(weight->at).at(j)).re;
  if (bias) value += call.load(*bias, Elements(bias->at).at(j)).re;
  return Number::of_real(value);
}

void run_layer_norm(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const Extents normalized = call.integers(1);
  const Array weight = call.has(2) ? call.tensor(2) : Array{}, bias = call.has(3) ? call.tensor(3) : Array{};
  const double eps = call.real(4, 1e-5);
  if (!call.ok()) return;
  const std::size_t rank = x.at.shape.size(), count = normalized.size();
  const bool fits =
      count > 0 && count <= rank &&
      std::equal(normalized.begin(), normalized.end(), x.at.shape.end() - static_cast<std::ptrdiff_t>(count));
  if (!fits || (call.has(2) && weight.at.shape != normalized) || (call.has(3) && bias.at.shape != normalized))
    return call.raise("layer_norm: normalized_shape does not fit the input, weight and bias");
  if (!is_floating(x.at.dtype)) return call.raise("layer_norm is not implemented for this dtype");
  Extents dims;
  for (std::size_t i = rank - count; i < rank; ++i) dims.push_back(static_cast<std::int64_t>(i));
  const auto axes = axes_of(call, x.at, dims, true);
  if (!axes) return;
  const Dtype held = call.has(2) ? weight.at.dtype : x.at.dtype;  // reduced inputs may have wider weights
  const Array out = call.output(x.at.dtype, x.at.shape), mean_out = call.output(held, axes->shape),
              rstd_out = call.output(held, axes->shape);
  const std::int64_t outer = axes->kept.numel(), inner = axes->reduced.numel();
  if (!call.ok() || !call.spend({outer, std::max<std::int64_t>(inner, 1), 4})) return;
  const Elements kept(axes->kept), reduced(axes->reduced), to(out.at), to_mean(mean_out.at),
      to_rstd(rstd_out.at);
  for (std::int64_t i = 0; i < outer && call.ok(); ++i) {
    call.begin();
    double sum = 0, squares = 0;
    for (std::int64_t j = 0; j < inner; ++j) sum += call.load(x, kept.at(i) + reduced.at(j)).re;
    double mean = sum / static_cast<double>(inner);
    if (!std::isfinite(mean))
      mean = std::numeric_limits<double>::quiet_NaN();  // infinities give NaN in PyTorch
    for (std::int64_t j = 0; j < inner; ++j) {
      const double gap = call.load(x, kept.at(i) + reduced.at(j)).re - mean;
      squares += gap * gap;
    }
    const double rstd = rounded(x.at.dtype, 1 / std::sqrt(squares / static_cast<double>(inner) + eps));
    const bool narrow = opmath(x.at.dtype) != x.at.dtype;
    const double shift = rounded(x.at.dtype, -mean * rstd);  // PyTorch loses these digits, too
    for (std::int64_t j = 0; j < inner && call.ok(); ++j) {
      const double loaded = call.load(x, kept.at(i) + reduced.at(j)).re;
      const double value = narrow ? loaded * rstd + shift : (loaded - mean) * rstd;
      call.store(out, to.at(i * inner + j),
                 affine(call, value, call.has(2) ? &weight : nullptr, call.has(3) ? &bias : nullptr, j));
    }
    call.store(mean_out, to_mean.at(i), Number::of_real(mean));
    call.store(rstd_out, to_rstd.at(i), Number::of_real(rstd));
  }
}

/// native_group_norm(input, weight, bias, N, C, HxW, group, eps).
void run_group_norm(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const Array weight = call.has(1) ? call.tensor(1) : Array{}, bias = call.has(2) ? call.tensor(2) : Array{};
  const std::int64_t batch = call.integer(3, 0), channels = call.integer(4, 0), area = call.integer(5, 0),
                     groups = call.integer(6, 1);
  const double eps = call.real(7, 1e-5);
  if (!call.ok()) return;
  const Extents each{channels};
  const bool fits = groups > 0 && channels % groups == 0 &&
                    is_product(x.at.numel(), {batch, channels, area}) &&
                    (!call.has(1) || weight.at.shape == each) && (!call.has(2) || bias.at.shape == each);
  if (!fits) return call.raise("group_norm: the sizes do not fit");
  if (!is_floating(x.at.dtype)) return call.raise("group_norm is not implemented for this dtype");
  const Dtype held = call.has(1) ? weight.at.dtype : x.at.dtype;
  const bool last = prefers_channels_last(x.at);
  const Array out = call.output(x.at.dtype, x.at.shape,
                                last ? channels_last_strides(x.at.shape) : contiguous_strides(x.at.shape)),
              means = call.output(held, {batch, groups}), rstds = call.output(held, {batch, groups});
  const std::int64_t inner = channels / groups * area;
  if (!call.ok() || !call.spend({batch, groups, std::max<std::int64_t>(inner, 1), 4})) return;
  const Elements from(x.at), to(out.at), to_mean(means.at), to_rstd(rstds.at);
  for (std::int64_t i = 0; i < batch * groups && call.ok(); ++i) {
    call.begin();
    double sum = 0, squares = 0;
    for (std::int64_t j = 0; j < inner; ++j) sum += call.load(x, from.at(i * inner + j)).re;
    double mean = sum / static_cast<double>(inner);
    if (!std::isfinite(mean)) mean = std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t j = 0; j < inner; ++j) {
      const double gap = call.load(x, from.at(i * inner + j)).re - mean;
      squares += gap * gap;
    }
    const double rstd = rounded(x.at.dtype, 1 / std::sqrt(squares / static_cast<double>(inner) + eps));
    for (std::int64_t j = 0; j < inner && call.ok(); ++j) {
      const std::int64_t channel = (i % groups * inner + j) / area;
      const double value = (call.load(x, from.at(i * inner + j)).re - mean) * rstd;
      call.store(
          out, to.at(i * inner + j),
          affine(call, value, call.has(1) ? &weight : nullptr, call.has(2) ? &bias : nullptr, channel));
    }
    call.store(means, to_mean.at(i), Number::of_real(mean));
    call.store(rstds, to_rstd.at(i), Number::of_real(rstd));
  }
}

/// The operands of the derivative of layer norm, all row-major.
struct LayerNormBackward {
  Array grad, x, mean, rstd, weight;
  std::int64_t outer = 0, inner = 0;
  bool weighs = false;
  double normal(Call& call, std::int64_t i, std::int64_t j) const {
    const double value = call.load(x, Elements(x.at).at(i * inner + j)).as_real();
    return (value - call.load(mean, Elements(mean.at).at(i)).as_real()) *
           call.load(rstd, Elements(rstd.at).at(i)).as_real();
  }
  double slope(Call& call, std::int64_t i, std::int64_t j) const {
    return call.load(grad, Elements(grad.at).at(i * inner + j)).as_real();
  }
  double factor(Call& call, std::int64_t j) const {
    return weighs ? call.load(weight, Elements(weight.at).at(j)).as_real() : 1;
  }
};

void derive_input(Call& call, const LayerNormBackward& b, const Array& out) {
  const Elements to(out.at), scale(b.rstd.at);
  for (std::int64_t i = 0; i < b.outer && call.ok(); ++i) {
    call.begin();
    double sum = 0, product = 0;
    for (std::int64_t j = 0; j < b.inner; ++j) {
      const double slope = b.slope(call, i, j) * b.factor(call, j);
      sum += slope;
      product += slope * b.normal(call, i, j);
    }
    const double rstd = call.load(b.rstd, scale.at(i)).as_real(), count = static_cast<double>(b.inner);
    for (std::int64_t j = 0; j < b.inner && call.ok(); ++j) {
      const double slope = b.slope(call, i, j) * b.factor(call, j);
      const double value = slope - (sum + b.normal(call, i, j) * product) / count;
      call.store(out, to.at(i * b.inner + j), Number::of_real(value * rstd));
    }
  }
}

void derive_parameter(Call& call, const LayerNormBackward& b, const Array& out, bool of_weight) {
  const Elements to(out.at);
  for (std::int64_t j = 0; j < b.inner && call.ok(); ++j) {
    call.begin();
    double sum = 0;
    for (std::int64_t i = 0; i < b.outer; ++i)
      sum += b.slope(call, i, j) * (of_weight ? b.normal(call, i, j) : 1);
    call.store(out, to.at(j), Number::of_real(sum));
  }
}

/// native_layer_norm_backward(grad, input, normalized_shape, mean, rstd, weight, bias, output_mask).
void run_layer_norm_backward(Call& call, const KernelRow&) {
  LayerNormBackward b{call.tensor(0), call.tensor(1), call.tensor(3), call.tensor(4), {}, 0, 1, call.has(5)};
  const Extents normalized = call.integers(2);
  if (b.weighs) b.weight = call.tensor(5);
  if (!call.ok()) return;
  for (const std::int64_t extent : normalized)
    if (__builtin_mul_overflow(b.inner, extent, &b.inner))
      return call.decline("layer_norm backward of such sizes");
  const bool plain = is_floating(b.x.at.dtype) && b.grad.at.shape == b.x.at.shape && b.inner > 0 &&
                     (!b.weighs || b.weight.at.shape == normalized);
  if (!plain) return call.decline("layer_norm backward of such sizes or types");
  b.outer = b.x.at.numel() / b.inner;
  if (b.mean.at.numel() != b.outer || b.rstd.at.numel() != b.outer)
    return call.decline("layer_norm backward of such sizes or types");
  const std::vector<Datum>& mask = call.arg(7).list;
  if (mask.size() != 3 || !call.spend({b.outer, b.inner, 8})) return;
  for (std::size_t k = 0; k < 3 && call.ok(); ++k) {
    if (!mask[k].boolean || (k > 0 && !call.has(4 + k))) {
      call.results.emplace_back();
      continue;
    }
    const Dtype dtype = k > 0 && b.weighs ? b.weight.at.dtype : b.x.at.dtype;
    const Array out = call.output(dtype, k == 0 ? b.x.at.shape : normalized);
    if (!call.ok()) return;
    if (k == 0) derive_input(call, b, out);
    if (k > 0) derive_parameter(call, b, out, k == 1);
  }
}

const KernelRow kNormRows[] = {
    {"native_group_norm.default", run_group_norm},
    {"native_layer_norm_backward.default", run_layer_norm_backward},
    {"_softmax.default", run_softmax},
    {"_log_softmax.default", run_softmax, nullptr, Promotion::same, 1, 1},
    {"native_layer_norm.default", run_layer_norm},
};

}  // namespace

std::span<const KernelRow> norm_kernels() { return kNormRows; }

}  // namespace noclobber
