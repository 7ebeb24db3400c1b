// Pooling over windows of the last dimensions, and its derivatives.
#include <algorithm>
#include <cmath>

#include "src/kernels/axes.h"
#include "src/ops/number_math.h"
#include "src/ops/window_sizes.h"

namespace noclobber {
namespace {

/// One window per result element and plane: `start` + i * dilation along each dimension.
struct Windows {
  Extents kernel, stride, padding, dilation;
  Extents in, out;  // sizes of the pooled dimensions
};

Extents pool_sizes(Call& call, std::size_t i, std::size_t count, const Extents& fallback) {
  Extents sizes = call.integers(i);
  if (sizes.empty()) return fallback;
  if (sizes.size() == 1) return Extents(count, sizes[0]);
  if (sizes.size() != count) call.raise("pooling: a size per dimension is expected");
  return call.ok() ? sizes : fallback;
}

bool usable(const Windows& w) {
  for (std::size_t i = 0; i < w.kernel.size(); ++i)
    if (w.kernel[i] <= 0 || w.stride[i] <= 0 || w.dilation[i] <= 0 || w.padding[i] < 0 ||
        w.padding[i] > w.kernel[i] / 2)
      return false;
  return true;
}

std::optional<Windows> finish_windows(Call& call, const Array& x, Windows w, bool ceil_mode) {
  const std::size_t count = w.kernel.size();
  if (call.ok() && (x.at.shape.size() < count + 1 || x.at.shape.size() > count + 2))
    call.raise("pooling: the input has another rank");
  if (call.ok() && !usable(w)) call.raise("pooling: kernel, stride, padding or dilation out of range");
  for (std::size_t i = 0; i < count && call.ok(); ++i) {
    w.in.push_back(x.at.shape[x.at.shape.size() - count + i]);
    w.out.push_back(pooled_size({w.in[i], w.kernel[i], w.stride[i], w.padding[i], w.dilation[i]}, ceil_mode));
    if (w.out.back() < 1) call.raise("pooling: the output would be too small");
  }
  return call.ok() ? std::optional(w) : std::nullopt;
}

std::int64_t area_of(const Extents& sizes) {
  std::int64_t n = 1;
  for (const std::int64_t size : sizes) n *= size;
  return n;
}

/// The geometries of the dimensions before the pooled ones and of the pooled ones.
struct Planes {
  Geometry outer, inner;
};

Planes planes_of(const Geometry& g, std::size_t count) {
  const auto split = static_cast<std::ptrdiff_t>(g.shape.size() - count);
  return {{g.dtype,
           {g.shape.begin(), g.shape.begin() + split},
           {g.stride.begin(), g.stride.begin() + split},
           g.offset},
          {g.dtype, {g.shape.begin() + split, g.shape.end()}, {g.stride.begin() + split, g.stride.end()}, 0}};
}

/// The row-major indices (in the pooled dimensions of the input) that window k covers. `cells`: their number
/// with padding.
std::vector<std::int64_t> window_places(const Windows& w, std::int64_t k, std::int64_t* cells) {
  std::vector<std::int64_t> places{0};
  *cells = 1;
  std::int64_t rest = k, below = 1;
  std::vector<std::int64_t> next;
  for (std::size_t d = w.kernel.size(); d-- > 0;) {
    const std::int64_t start = rest % w.out[d] * w.stride[d] - w.padding[d];
    rest /= w.out[d];
    *cells *= std::min(start + w.kernel[d], w.in[d] + w.padding[d]) - start;
    next.clear();
    for (std::int64_t i = 0; i < w.kernel[d]; ++i) {
      const std::int64_t at = start + i * w.dilation[d];
      if (at < 0 || at >= w.in[d]) continue;
      for (const std::int64_t place : places) next.push_back(at * below + place);
    }
    places = next;
    below *= w.in[d];
  }
  std::sort(places.begin(), places.end());
  return places;
}

Extents pooled_strides(const Geometry& g, const Extents& shape) {
  return prefers_channels_last(g) ? channels_last_strides(shape) : contiguous_strides(shape);
}

/// PyTorch computes an average over one dimension as one over two.
Extents averaged_strides(const Geometry& g, const Extents& shape, std::size_t count) {
  if (count != 1 || g.rank() != 3) return pooled_strides(g, shape);
  Geometry padded = g;
  padded.shape.insert(padded.shape.begin() + 2, 1);
  padded.stride.insert(padded.stride.begin() + 2, g.shape[2] * g.stride[2]);
  Extents strides = pooled_strides(padded, {shape[0], shape[1], 1, shape[2]});
  strides.erase(strides.begin() + 2);
  return strides;
}

Extents pooled_shape(const Geometry& g, const Extents& tail) {
  Extents shape(g.shape.begin(), g.shape.end() - static_cast<std::ptrdiff_t>(tail.size()));
  shape.insert(shape.end(), tail.begin(), tail.end());
  return shape;
}

/// variant: the number of pooled dimensions.
void run_max_pool(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const auto count = static_cast<std::size_t>(row.variant);
  Windows w;
  w.kernel = pool_sizes(call, 1, count, Extents(count, 1));
  w.stride = pool_sizes(call, 2, count, w.kernel);
  w.padding = pool_sizes(call, 3, count, Extents(count, 0));
  w.dilation = pool_sizes(call, 4, count, Extents(count, 1));
  const auto windows = finish_windows(call, x, w, call.boolean(5, false));
  if (!windows) return;
  const Extents shape = pooled_shape(x.at, windows->out);
  const Array out = call.output(x.at.dtype, shape, pooled_strides(x.at, shape));
  const Array index = call.output(Dtype::i64, shape, pooled_strides(x.at, shape));
  const Planes from = planes_of(x.at, count);
  const std::int64_t planes = from.outer.numel(), area = area_of(windows->out);
  if (!call.ok() || !call.spend({planes, area, area_of(w.kernel)})) return;
  const Elements outer(from.outer), inner(from.inner), to(out.at), to_index(index.at);
  for (std::int64_t k = 0; k < area; ++k) {
    std::int64_t cells = 0;
    const auto places = window_places(*windows, k, &cells);
    for (std::int64_t p = 0; p < planes && call.ok(); ++p) {
      call.begin();
      std::int64_t best = -1;
      Number most;
      for (const std::int64_t place : places) {
        const Number value = call.load(x, outer.at(p) + inner.at(place));
        if (best < 0 || is_nan(value) || (!is_nan(most) && less_number(most, value))) {
          most = value;
          best = place;
        }
      }
      call.store(out, to.at(p * area + k), most);
      call.store(index, to_index.at(p * area + k), Number::of(best));
    }
  }
}

/// Adds grad_output at the index of each window.
void run_max_pool_backward(Call& call, const KernelRow& row) {
  const Array grad = call.tensor(0), x = call.tensor(1), index = call.tensor(7);
  const auto count = static_cast<std::size_t>(row.variant);
  if (call.ok() && (grad.at.shape != index.at.shape || x.at.shape.size() <= count ||
                    grad.at.shape.size() != x.at.shape.size()))
    call.raise("max_pool backward: shapes do not fit");
  if (!call.ok()) return;
  const Array out = call.output(x.at.dtype, x.at.shape, pooled_strides(x.at, x.at.shape));
  if (!call.ok()) return;
  const Planes to = planes_of(out.at, count), from = planes_of(grad.at, count);
  const std::int64_t planes = from.outer.numel(), area = from.inner.numel(), size = to.inner.numel();
  if (!call.spend({planes, std::max<std::int64_t>(area, 1)}) || !call.spend({planes, size})) return;
  if (planes != to.outer.numel()) return call.raise("max_pool backward: shapes do not fit");
  const Elements grads(grad.at), indices(index.at), outer(to.outer), inner(to.inner);
  for (std::int64_t p = 0; p < planes; ++p) {
    std::vector<double> sums(static_cast<std::size_t>(size), 0);
    call.begin();
    for (std::int64_t k = 0; k < area && call.ok(); ++k) {
      const std::int64_t at = call.load(index, indices.at(p * area + k)).integer;
      if (at < 0 || at >= size) return call.raise("max_pool backward: an index is out of range");
      sums[static_cast<std::size_t>(at)] += call.load(grad, grads.at(p * area + k)).as_real();
    }
    for (std::int64_t at = 0; at < size && call.ok(); ++at)
      call.store(out, outer.at(p) + inner.at(at), Number::of_real(sums[static_cast<std::size_t>(at)]));
  }
}

struct Average {
  Windows windows;
  bool include_pad = true;
  std::int64_t divisor = 0;  // 0: the number of cells
};

/// Reads the arguments of avg_pool from `first` on: kernel, stride, padding, ceil_mode, count_include_pad,
/// divisor.
std::optional<Average> average_of(Call& call, const Array& x, std::size_t first, std::size_t count) {
  Windows w;
  w.kernel = pool_sizes(call, first, count, Extents(count, 1));
  w.stride = pool_sizes(call, first + 1, count, w.kernel);
  w.padding = pool_sizes(call, first + 2, count, Extents(count, 0));
  w.dilation = Extents(count, 1);
  Average a;
  a.include_pad = call.boolean(first + 4, true);
  a.divisor = call.integer(first + 5, 0);
  if (call.ok() && call.has(first + 5) && a.divisor == 0) call.raise("divisor must be not zero");
  const auto windows = finish_windows(call, x, w, call.boolean(first + 3, false));
  if (!windows) return std::nullopt;
  a.windows = *windows;
  return a;
}

double divisor_of(const Average& a, std::int64_t cells, std::size_t shown) {
  if (a.divisor != 0) return static_cast<double>(a.divisor);
  return static_cast<double>(a.include_pad ? cells : static_cast<std::int64_t>(shown));
}

void run_avg_pool(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const auto count = static_cast<std::size_t>(row.variant);
  const auto a = average_of(call, x, 1, count);
  if (!a) return;
  const Extents shape = pooled_shape(x.at, a->windows.out);
  const Array out = call.output(x.at.dtype, shape, averaged_strides(x.at, shape, count));
  const Planes from = planes_of(x.at, count);
  const std::int64_t planes = from.outer.numel(), area = area_of(a->windows.out);
  if (!call.ok() || !call.spend({planes, area, area_of(a->windows.kernel)})) return;
  const Elements outer(from.outer), inner(from.inner), to(out.at);
  for (std::int64_t k = 0; k < area; ++k) {
    std::int64_t cells = 0;
    const auto places = window_places(a->windows, k, &cells);
    for (std::int64_t p = 0; p < planes && call.ok(); ++p) {
      call.begin();
      double sum = 0;
      for (const std::int64_t place : places) sum += call.load(x, outer.at(p) + inner.at(place)).as_real();
      const double mean = places.empty() ? 0 : sum / divisor_of(*a, cells, places.size());
      call.store(out, to.at(p * area + k), Number::of_real(mean));
    }
  }
}

void run_avg_pool_backward(Call& call, const KernelRow& row) {
  const Array grad = call.tensor(0), x = call.tensor(1);
  const auto count = static_cast<std::size_t>(row.variant);
  const auto a = average_of(call, x, 2, count);
  if (!a) return;
  if (grad.at.shape != pooled_shape(x.at, a->windows.out))
    return call.raise("avg_pool backward: grad_output has another shape");
  const Array out = call.output(x.at.dtype, x.at.shape, pooled_strides(x.at, x.at.shape));
  const std::int64_t area = area_of(a->windows.out), size = area_of(a->windows.in);
  const std::int64_t planes = size == 0 ? 0 : x.at.numel() / size;
  if (!call.ok() || !call.spend({planes, area, area_of(a->windows.kernel)})) return;
  const Elements grads(grad.at), to(out.at);
  for (std::int64_t p = 0; p < planes; ++p) {
    std::vector<double> sums(static_cast<std::size_t>(size), 0);
    call.begin();
    for (std::int64_t k = 0; k < area && call.ok(); ++k) {
      std::int64_t cells = 0;
      const auto places = window_places(a->windows, k, &cells);
      const double share =
          call.load(grad, grads.at(p * area + k)).as_real() / divisor_of(*a, cells, places.size());
      const double part = is_floating(x.at.dtype) ? share : std::trunc(share);
      for (const std::int64_t place : places) sums[static_cast<std::size_t>(place)] += part;
    }
    for (std::int64_t at = 0; at < size && call.ok(); ++at)
      call.store(out, to.at(p * size + at), Number::of_real(sums[static_cast<std::size_t>(at)]));
  }
}

/// Result i of `out` along a dimension of `in` covers [i * in / out, ceil((i + 1) * in / out)).
std::vector<std::int64_t> adaptive_places(const Extents& in, const Extents& out, std::int64_t k) {
  std::vector<std::int64_t> places{0}, next;
  std::int64_t below = 1;
  for (std::size_t d = in.size(); d-- > 0; k /= out[d + 0]) {
    const std::int64_t i = k % out[d], first = i * in[d] / out[d],
                       end = ((i + 1) * in[d] + out[d] - 1) / out[d];
    next.clear();
    for (std::int64_t at = first; at < end; ++at)
      for (const std::int64_t place : places) next.push_back(at * below + place);
    places = next;
    below *= in[d];
  }
  return places;
}

/// variant: the number of pooled dimensions; negative: the derivative (grad_output, self).
void run_adaptive_avg_pool(Call& call, const KernelRow& row) {
  const bool backward = row.variant < 0;
  const auto count = static_cast<std::size_t>(std::abs(row.variant));
  const Array grad = call.tensor(0), x = backward ? call.tensor(1) : grad;
  if (!call.ok() || x.at.shape.size() <= count || grad.at.shape.size() != x.at.shape.size())
    return call.raise("adaptive_avg_pool: the input has another rank");
  const auto split = x.at.shape.end() - static_cast<std::ptrdiff_t>(count);
  const Extents in(split, x.at.shape.end());
  Extents tail(grad.at.shape.end() - static_cast<std::ptrdiff_t>(count), grad.at.shape.end());
  if (!backward) tail = call.integers(1);
  if (call.ok() && (tail.size() != count || !element_count(tail)))
    call.raise("adaptive_avg_pool: output_size");
  if (!call.ok()) return;
  const Extents shape = backward ? x.at.shape : pooled_shape(x.at, tail);
  const Array out = call.output(x.at.dtype, shape, averaged_strides(x.at, shape, count));
  const std::int64_t area = area_of(tail), size = area_of(in);
  if (size == 0 && x.at.numel() != 0) return call.raise("adaptive_avg_pool: an empty input");
  const std::int64_t planes = size == 0 ? 0 : x.at.numel() / size;
  if (!call.ok() || !call.spend({planes, area}) || !call.spend({planes, size, 2})) return;
  const Elements from(grad.at), to(out.at);
  for (std::int64_t p = 0; p < planes; ++p) {
    std::vector<double> sums(static_cast<std::size_t>(backward ? size : 0), 0);
    call.begin();
    for (std::int64_t k = 0; k < area && call.ok(); ++k) {
      const auto places = adaptive_places(in, tail, k);
      const double n = static_cast<double>(places.size());
      double sum = 0;
      if (!backward) call.begin();
      for (const std::int64_t place : places) {
        if (backward)
          sums[static_cast<std::size_t>(place)] += call.load(grad, from.at(p * area + k)).as_real() / n;
        else
          sum += call.load(x, from.at(p * size + place)).as_real();
      }
      if (!backward) call.store(out, to.at(p * area + k), Number::of_real(sum / n));
    }
    for (std::size_t at = 0; at < sums.size() && call.ok(); ++at)
      call.store(out, to.at(p * size + static_cast<std::int64_t>(at)), Number::of_real(sums[at]));
  }
}

const KernelRow kPoolRows[] = {
    kernel_row("max_pool2d_with_indices.default", run_max_pool, 2),
    kernel_row("max_pool3d_with_indices.default", run_max_pool, 3),
    kernel_row("max_pool2d_with_indices_backward.default", run_max_pool_backward, 2),
    kernel_row("max_pool3d_with_indices_backward.default", run_max_pool_backward, 3),
    kernel_row("avg_pool1d.default", run_avg_pool, 1),
    kernel_row("avg_pool2d.default", run_avg_pool, 2),
    kernel_row("avg_pool3d.default", run_avg_pool, 3),
    kernel_row("avg_pool2d_backward.default", run_avg_pool_backward, 2),
    kernel_row("avg_pool3d_backward.default", run_avg_pool_backward, 3),
    kernel_row("adaptive_avg_pool1d.default", run_adaptive_avg_pool, 1),
    kernel_row("_adaptive_avg_pool2d.default", run_adaptive_avg_pool, 2),
    kernel_row("_adaptive_avg_pool3d.default", run_adaptive_avg_pool, 3),
    kernel_row("_adaptive_avg_pool2d_backward.default", run_adaptive_avg_pool, -2),
    kernel_row("_adaptive_avg_pool3d_backward.default", run_adaptive_avg_pool, -3),
};

}  // namespace

std::span<const KernelRow> pool_kernels() { return kPoolRows; }

}  // namespace noclobber
