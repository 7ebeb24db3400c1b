// Softmax and layer norm.
#include <algorithm>

#include "src/ops/kernels_axes.h"
#include "src/ops/kernels_math.h"

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
    const double mean = sum / static_cast<double>(inner);
    for (std::int64_t j = 0; j < inner; ++j) {
      const double gap = call.load(x, kept.at(i) + reduced.at(j)).re - mean;
      squares += gap * gap;
    }
    const double rstd = rounded(x.at.dtype, 1 / std::sqrt(squares / static_cast<double>(inner) + eps));
    const bool narrow = opmath(x.at.dtype) != x.at.dtype;
    const double shift = rounded(x.at.dtype, -mean * rstd);  // PyTorch loses these digits, so we do
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

const KernelRow kNormRows[] = {
    {"_softmax.default", run_softmax},
    {"_log_softmax.default", run_softmax, nullptr, Promotion::same, 1, 1},
    {"native_layer_norm.default", run_layer_norm},
};

}  // namespace

std::span<const KernelRow> norm_kernels() { return kNormRows; }

}  // namespace noclobber
