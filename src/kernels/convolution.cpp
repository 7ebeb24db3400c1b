// Convolution and its derivatives, in any number of spatial dimensions. Sums are computed in double
// precision.
#include <algorithm>

#include "src/kernels/dense.h"
#include "src/ops/number_math.h"
#include "src/ops/window_sizes.h"

namespace noclobber {
namespace {

/// One convolution as correlation: big[n, c, o * stride - padding + k * dilation] meets small[n,f,o] through
/// weight[f,c,k]. A transposed one computes big from small.
struct Convolution {
  Extents stride, padding, dilation, output_padding;
  bool transposed = false;
  std::int64_t groups = 1;
  Extents big, small, weight;  // shapes; weight[0]: channels of small, weight[1]: of big per group
  std::size_t space() const { return stride.size(); }
};

Extents spread(const Extents& given, std::size_t count) {
  return given.size() == 1 ? Extents(count, given[0]) : given;
}

/// Reads stride, padding, dilation, transposed, output_padding and groups from argument `first` on.
std::optional<Convolution> convolution_of(Call& call, std::size_t first, const Extents& input,
                                          const Extents& weight) {
  Convolution c;
  const std::size_t space = input.size() < 3 ? 0 : input.size() - 2;
  c.stride = spread(call.integers(first), space);
  c.padding = spread(call.integers(first + 1), space);
  c.dilation = spread(call.integers(first + 2), space);
  c.transposed = call.boolean(first + 3, false);
  c.output_padding = spread(call.integers(first + 4), space);
  c.groups = call.integer(first + 5, 1);
  c.weight = weight;
  const bool fits = space > 0 && weight.size() == input.size() && c.stride.size() == space &&
                    c.padding.size() == space && c.dilation.size() == space &&
                    c.output_padding.size() == space && c.groups > 0 && weight[0] % c.groups == 0;
  const bool positive = std::all_of(c.stride.begin(), c.stride.end(), [](auto s) { return s > 0; }) &&
                        std::all_of(c.dilation.begin(), c.dilation.end(), [](auto s) { return s > 0; }) &&
                        std::all_of(c.padding.begin(), c.padding.end(), [](auto s) { return s >= 0; });
  if (call.ok() && (!fits || !positive)) call.raise("convolution: input, weight and sizes do not fit");
  return call.ok() ? std::optional(c) : std::nullopt;
}

/// The shape of the result. Sets the shapes of both sides in `c`.
std::optional<Extents> convolved_shape(Call& call, Convolution& c, const Extents& input) {
  const std::int64_t channels = c.transposed ? c.weight[0] : c.weight[1] * c.groups;
  if (input[1] != channels) call.raise("convolution: the input has another number of channels");
  Extents shape{input[0], c.transposed ? c.weight[1] * c.groups : c.weight[0]};
  for (std::size_t i = 0; i < c.space() && call.ok(); ++i) {
    const Window window{input[i + 2], c.weight[i + 2], c.stride[i], c.padding[i], c.dilation[i]};
    const auto size = c.transposed ? transposed_size(window, c.output_padding[i]) : convolved_size(window);
    if (!size) call.raise("convolution: the kernel is larger than the padded input");
    shape.push_back(size.value_or(0));
  }
  if (!call.ok()) return std::nullopt;
  c.big = c.transposed ? shape : input;
  c.small = c.transposed ? input : shape;
  return shape;
}

/// Advances `at` like an odometer over `sizes`; false after the last.
bool next_place(Extents& at, const Extents& sizes, std::size_t first) {
  for (std::size_t i = sizes.size(); i-- > first;) {
    if (++at[i] < sizes[i]) return true;
    at[i] = 0;
  }
  return false;
}

std::int64_t area_per_channel(const Extents& shape) {
  std::int64_t n = 1;
  for (std::size_t i = 2; i < shape.size(); ++i) n *= shape[i];
  return n;
}

/// The side of the relation that is computed from the two others.
enum class Side : std::uint8_t { small, big, weight };

/// Calls f(position in big, in small, in weight) for every product, row-major in the computed side.
template <class F>
void spatial_pairs(const Convolution& c, F f) {
  const std::size_t space = c.space();
  if (area_per_channel(c.small) == 0 || area_per_channel(c.weight) == 0) return;
  Extents o(space + 2, 0), k(space + 2, 0);
  std::int64_t small_at = 0;
  do {
    std::int64_t weight_at = 0;
    do {
      std::int64_t big_at = 0;
      bool inside = true;
      for (std::size_t i = 0; i < space && inside; ++i) {
        const std::int64_t p = o[i + 2] * c.stride[i] - c.padding[i] + k[i + 2] * c.dilation[i];
        inside = p >= 0 && p < c.big[i + 2];
        big_at = big_at * c.big[i + 2] + p;
      }
      if (inside) f(big_at, small_at, weight_at);
      ++weight_at;
    } while (next_place(k, c.weight, 2));
    ++small_at;
  } while (next_place(o, c.small, 2));
}

struct SpatialPair {
  std::int64_t big, small, weight;
};

std::vector<SpatialPair> pairs_of(Call& call, const Convolution& c) {
  std::vector<SpatialPair> pairs;
  if (!call.spend({area_per_channel(c.small), area_per_channel(c.weight)})) return pairs;
  spatial_pairs(c, [&](std::int64_t b, std::int64_t s, std::int64_t w) { pairs.push_back({b, s, w}); });
  return pairs;
}

/// The sums of one side. `x` and `y` are the two others, in the order big, small, weight.
template <class T>
struct Correlation {
  const Convolution& c;
  Side side;
  std::vector<T> sums;
  std::vector<std::uint8_t> defined;

  void run(Call& call, const Dense<T>& x, const Dense<T>& y) {
    const auto pairs = pairs_of(call, c);
    const Extents& shape = side == Side::small ? c.small : side == Side::big ? c.big : c.weight;
    const auto size = static_cast<std::size_t>(Geometry{Dtype::f32, shape, {}, 0}.numel());
    sums.assign(size, T{});
    defined.assign(size, 1);
    const std::int64_t per_group = c.weight[0] / c.groups, in_group = c.weight[1];
    const auto count = static_cast<std::int64_t>(pairs.size());
    if (!call.spend({c.small[0], c.weight[0], in_group, std::max<std::int64_t>(count, 1)})) return;
    const std::int64_t bp = area_per_channel(c.big), sp = area_per_channel(c.small),
                       wp = area_per_channel(c.weight);
    for (std::int64_t n = 0; n < c.small[0]; ++n)
      for (std::int64_t f = 0; f < c.weight[0]; ++f)
        for (std::int64_t i = 0; i < in_group; ++i) {
          const std::int64_t channel = f / per_group * in_group + i;
          planes(x, y, pairs, (n * c.big[1] + channel) * bp, (n * c.small[1] + f) * sp,
                 (f * in_group + i) * wp);
        }
  }

 private:
  void planes(const Dense<T>& x, const Dense<T>& y, const std::vector<SpatialPair>& pairs, std::int64_t b,
              std::int64_t s, std::int64_t w) {
    switch (side) {
      case Side::small:
        return add(x, y, pairs, [=](const SpatialPair& p) {
          return Triple{s + p.small, b + p.big, w + p.weight};
        });
      case Side::big:
        return add(x, y, pairs, [=](const SpatialPair& p) {
          return Triple{b + p.big, s + p.small, w + p.weight};
        });
      case Side::weight:
        return add(x, y, pairs, [=](const SpatialPair& p) {
          return Triple{w + p.weight, b + p.big, s + p.small};
        });
    }
  }

  struct Triple {
    std::int64_t to, x, y;
  };

  template <class F>
  void add(const Dense<T>& x, const Dense<T>& y, const std::vector<SpatialPair>& pairs, F places) {
    T* const to = sums.data();
    const T *const a = x.values.data(), *const b = y.values.data();
    for (const SpatialPair& p : pairs) {
      const Triple t = places(p);
      to[t.to] += a[t.x] * b[t.y];
    }
    if (x.all_defined && y.all_defined) return;
    for (const SpatialPair& p : pairs) {
      const Triple t = places(p);
      if (!x.defined[static_cast<std::size_t>(t.x)] || !y.defined[static_cast<std::size_t>(t.y)])
        defined[static_cast<std::size_t>(t.to)] = 0;
    }
  }
};

bool kernel_channels_last(const Geometry& g) {
  Geometry padded = g;
  if (g.rank() == 3) {  // PyTorch computes one spatial dimension as two
    padded.shape.insert(padded.shape.begin() + 2, 1);
    padded.stride.insert(padded.stride.begin() + 2, g.shape[2] * g.stride[2]);
  }
  return prefers_channels_last(padded);
}

/// Channels last if either operand is channels last.
Extents convolution_strides(const Array& input, const Array& weight, const Extents& shape) {
  const Dtype dtype = input.at.dtype;
  const bool one = kernel_channels_last(input.at), other = kernel_channels_last(weight.at);
  const bool last = (is_floating(dtype) || shape.size() == 4) && (one || other);
  if (!last || shape.size() < 4) return contiguous_strides(shape);
  return channels_last_strides(shape);
}

template <class T>
void convolve(Call& call, const Convolution& c, const Array& input, const Array& weight, const Array* bias,
              const Array& out) {
  const bool live =
      shares_memory(input, out) || shares_memory(weight, out) || (bias && shares_memory(*bias, out));
  Correlation<T> sum{c, c.transposed ? Side::big : Side::small, {}, {}};
  Dense<T> shift;
  auto compute = [&] {
    const Dense<T> x = gather_dense<T>(call, input), y = gather_dense<T>(call, weight);
    if (bias) shift = gather_dense<T>(call, *bias);
    if (call.ok()) sum.run(call, x, y);
  };
  compute();
  const std::int64_t count = out.at.numel(), area = area_per_channel(out.at.shape);
  const Elements to(out.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    if (live && k > 0) compute();
    if (!call.ok()) return;
    DenseSum<T> s{sum.sums[static_cast<std::size_t>(k)], sum.defined[static_cast<std::size_t>(k)] != 0};
    if (bias) {
      const auto channel = static_cast<std::size_t>(k / area % out.at.shape[1]);
      s.value += shift.values[channel];
      s.defined = s.defined && shift.defined[channel];
    }
    store_dense(call, out, to.at(k), s.value, s.defined);
  }
}

/// A result of an empty batch or without channels is contiguous. Without input channels it has no channels,
/// whatever weight and bias say.
void convolve_nothing(Call& call, const Array& input, Extents shape) {
  if (input.at.shape[1] == 0) shape[1] = 0;
  call.output(input.at.dtype, shape);
}

/// True if every group has a row of weights, and rows are not empty. The derivative does not check this.
bool has_weights(const Convolution& c) {
  return c.weight[0] >= c.groups &&
         std::all_of(c.weight.begin() + 2, c.weight.end(), [](auto s) { return s > 0; });
}

void run_convolution(Call& call, const KernelRow&) {
  Array input = call.tensor(0);
  const Array weight = call.tensor(1), bias = call.has(2) ? call.tensor(2) : Array{};
  if (!call.ok()) return;
  const bool batched = input.at.shape.size() == weight.at.shape.size();
  if (!batched) return call.decline("a convolution without batch dimension");
  auto c = convolution_of(call, 3, input.at.shape, weight.at.shape);
  if (!c) return;
  const auto shape = convolved_shape(call, *c, input.at.shape);
  if (call.ok() && !has_weights(*c)) call.raise("convolution: a group without weights");
  if (call.ok() && input.at.dtype != weight.at.dtype)
    call.raise("Input type and weight type should be the same");
  if (call.ok() && call.has(2) && bias.at.shape != Extents{(*shape)[1]})
    call.raise("convolution: the bias does not fit the number of output channels");
  if (!call.ok() || !shape) return;
  if (input.at.numel() == 0 && (input.at.shape[0] == 0 || input.at.shape[1] == 0))
    return convolve_nothing(call, input, *shape);
  const Array out = call.output(input.at.dtype, *shape, convolution_strides(input, weight, *shape));
  if (!call.ok()) return;
  with_dense_type(input.at.dtype, [&](auto zero) {
    convolve<decltype(zero)>(call, *c, input, weight, call.has(2) ? &bias : nullptr, out);
  });
}

template <class T>
void store_sums(Call& call, const Array& out, const std::vector<T>& sums,
                const std::vector<std::uint8_t>& defined) {
  const bool all = std::find(defined.begin(), defined.end(), 0) == defined.end();
  scatter_dense(call, out, sums.data(), defined.data(), all);
}

template <class T>
void bias_sums(Call& call, const Array& grad, const Array& out) {
  const Dense<T> g = gather_dense<T>(call, grad);
  const std::int64_t area = area_per_channel(grad.at.shape), channels = grad.at.shape[1];
  std::vector<T> sums(static_cast<std::size_t>(channels));
  std::vector<std::uint8_t> defined(static_cast<std::size_t>(channels), 1);
  for (std::size_t k = 0; k < g.values.size(); ++k) {
    const auto channel = static_cast<std::size_t>(static_cast<std::int64_t>(k) / area % channels);
    sums[channel] += g.values[k];
    if (!g.defined[k]) defined[channel] = 0;
  }
  store_sums(call, out, sums, defined);
}

/// The derivative of the side `out`. `x` and `y` are the two others, in the order big, small, weight.
template <class T>
void derive(Call& call, const Convolution& c, Side side, const Array& x, const Array& y, const Array& out) {
  const Dense<T> a = gather_dense<T>(call, x), b = gather_dense<T>(call, y);
  if (!call.ok()) return;
  Correlation<T> sum{c, side, {}, {}};
  sum.run(call, a, b);
  if (call.ok()) store_sums(call, out, sum.sums, sum.defined);
}

template <class T>
void convolution_derivatives(Call& call, const Convolution& c, const std::vector<bool>& mask) {
  const Array grad = call.tensor(0), input = call.tensor(1), weight = call.tensor(2);
  const Dtype dtype = input.at.dtype;
  if (mask[0]) {
    const Array out = call.output(dtype, input.at.shape, convolution_strides(input, weight, input.at.shape));
    if (call.ok()) derive<T>(call, c, c.transposed ? Side::small : Side::big, grad, weight, out);
  } else {
    call.results.emplace_back();
  }
  if (mask[1]) {
    const Array out =
        call.output(dtype, weight.at.shape, convolution_strides(input, weight, weight.at.shape));
    const Array &big = c.transposed ? grad : input, &small = c.transposed ? input : grad;
    if (call.ok()) derive<T>(call, c, Side::weight, big, small, out);
  } else {
    call.results.emplace_back();
  }
  if (!mask[2]) return call.results.emplace_back(), void();
  const Array out = call.output(dtype, {grad.at.shape[1]});
  if (call.ok()) bias_sums<T>(call, grad, out);
}

/// For an empty input every derivative is zero.
void empty_gradients(Call& call, const Array& grad, const Array& input, const Array& weight) {
  const std::vector<Datum>& mask = call.arg(10).list;
  const Extents shapes[] = {input.at.shape, weight.at.shape, {grad.at.shape[1]}};
  for (std::size_t k = 0; k < 3 && call.ok(); ++k) {
    if (k >= mask.size() || !mask[k].boolean) {
      call.results.emplace_back();
      continue;
    }
    const Array out = call.output(weight.at.dtype, shapes[k]);
    call.begin();
    if (call.ok()) fill_elements(call, out, Number::of(0));
  }
}

void run_convolution_backward(Call& call, const KernelRow&) {
  const Array grad = call.tensor(0), input = call.tensor(1), weight = call.tensor(2);
  if (!call.ok()) return;
  if (input.at.shape.size() != weight.at.shape.size())
    return call.decline("a convolution without batch dimension");
  if (!call.targets.empty()) return call.decline("convolution_backward into given tensors");
  auto c = convolution_of(call, 4, input.at.shape, weight.at.shape);
  if (!c) return;
  const auto shape = convolved_shape(call, *c, input.at.shape);
  if (call.ok() && input.at.numel() == 0) return empty_gradients(call, grad, input, weight);
  if (call.ok() && grad.at.shape != *shape) call.raise("convolution_backward: grad_output has another shape");
  std::vector<bool> mask;
  for (const Datum& d : call.arg(10).list) mask.push_back(d.boolean || d.integer != 0);
  if (call.ok() && mask.size() != 3) call.raise("convolution_backward: output_mask has three items");
  // Bias sizes that the bias does not have are not modelled.
  if (call.ok() && mask[2] && call.has(3) &&
      (call.arg(3).list.size() != 1 || call.arg(3).list[0].integer != grad.at.shape[1]))
    call.decline("convolution_backward: sizes that a bias does not have");
  if (!call.ok()) return;
  with_dense_type(input.at.dtype,
                  [&](auto zero) { convolution_derivatives<decltype(zero)>(call, *c, mask); });
}

const KernelRow kConvolutionRows[] = {
    {"convolution.default", run_convolution},
    {"convolution_backward.default", run_convolution_backward},
};

}  // namespace

std::span<const KernelRow> convolution_kernels() { return kConvolutionRows; }

}  // namespace noclobber
