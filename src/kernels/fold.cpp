// Sliding windows as columns and their inverse: im2col, col2im. Samples between elements: bilinear
// interpolation, grid_sampler.
#include <algorithm>
#include <cmath>

#include "src/kernels/dense.h"
#include "src/ops/number_math.h"
#include "src/ops/window_sizes.h"

namespace noclobber {
namespace {

/// The sizes of a window that slides over two dimensions.
struct Sliding {
  Extents image, kernel, dilation, padding, stride, places;
};

std::int64_t sliding_places(const Sliding& s, std::size_t d) {
  return convolved_size({s.image[d], s.kernel[d], s.stride[d], s.padding[d], s.dilation[d]}).value_or(0);
}

/// Reads the sizes from argument `next` on: kernel_size, dilation, padding, stride.
std::optional<Sliding> sliding_of(Call& call, const Extents& image, std::size_t next) {
  Sliding s{
      image, call.integers(next), call.integers(next + 1), call.integers(next + 2), call.integers(next + 3),
      {}};
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  bool fits = image.size() == 2;
  for (const Extents* sizes : {&s.image, &s.kernel, &s.dilation, &s.padding, &s.stride}) {
    const std::int64_t least = sizes == &s.padding || sizes == &s.image ? 0 : 1;
    fits = fits && sizes->size() == 2;
    for (const std::int64_t n : *sizes) fits = fits && n >= least && n < kMost;
  }
  for (std::size_t d = 0; fits && d < 2; ++d) {
    s.places.push_back(sliding_places(s, d));
    fits = s.places[d] > 0;
  }
  if (!fits) call.raise("im2col, col2im: sizes do not fit");
  return call.ok() ? std::optional(s) : std::nullopt;
}

/// The row-major index in the image of element `k` of the window at `at`; empty in the padding.
std::optional<std::int64_t> image_place(const Sliding& s, std::int64_t k, std::int64_t at) {
  const Extents in{k / s.kernel[1], k % s.kernel[1]}, window{at / s.places[1], at % s.places[1]};
  std::int64_t place = 0;
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t i = window[d] * s.stride[d] - s.padding[d] + in[d] * s.dilation[d];
    if (i < 0 || i >= s.image[d]) return std::nullopt;
    place = place * s.image[d] + i;
  }
  return place;
}

/// im2col(self, kernel_size, dilation, padding, stride).
void run_im2col(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  if (!call.ok()) return;
  const std::size_t rank = x.at.shape.size();
  if (rank != 3 && rank != 4) return call.raise("im2col: the input has another rank");
  const auto s = sliding_of(call, {x.at.shape[rank - 2], x.at.shape[rank - 1]}, 1);
  if (!s) return;
  const std::int64_t area = s->kernel[0] * s->kernel[1], windows = s->places[0] * s->places[1];
  Extents shape(x.at.shape.begin(), x.at.shape.end() - 2);
  shape.back() *= area;
  shape.push_back(windows);
  const Array out = call.output(x.at.dtype, shape);
  const std::int64_t count = out.at.numel(), image = s->image[0] * s->image[1];
  if (!call.spend({count})) return;
  const Elements from(x.at), to(out.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    const std::int64_t row = k / windows;
    call.begin();
    if (const auto place = image_place(*s, row % area, k % windows))
      call.move(x, from.at(row / area * image + *place), out, to.at(k));
    else
      call.store(out, to.at(k), Number::of(0));
  }
}

template <class T>
void fold_back(Call& call, const Sliding& s, const Array& x, const Array& out) {
  const Dense<T> columns = gather_dense<T>(call, x);
  const std::int64_t area = s.kernel[0] * s.kernel[1], windows = s.places[0] * s.places[1],
                     image = s.image[0] * s.image[1];
  std::vector<T> sums(static_cast<std::size_t>(out.at.numel()));
  std::vector<std::uint8_t> defined(sums.size(), 1);
  for (std::int64_t k = 0; k < std::ssize(columns.values); ++k) {
    const std::int64_t row = k / windows;
    const auto place = image_place(s, row % area, k % windows);
    if (!place) continue;
    const auto to = static_cast<std::size_t>(row / area * image + *place), at = static_cast<std::size_t>(k);
    sums[to] += columns.values[at];
    defined[to] = defined[to] && columns.defined[at];
  }
  scatter_dense(call, out, sums.data(), defined.data(), columns.all_defined);
}

/// col2im(self, output_size, kernel_size, dilation, padding, stride): adds every element to where it came
/// from.
void run_col2im(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  if (!call.ok()) return;
  const std::size_t rank = x.at.shape.size();
  if (rank != 2 && rank != 3) return call.raise("col2im: the input has another rank");
  const auto s = sliding_of(call, call.integers(1), 2);
  if (!s) return;
  const std::int64_t area = s->kernel[0] * s->kernel[1], rows = x.at.shape[rank - 2];
  if (rows % area != 0 || x.at.shape[rank - 1] != s->places[0] * s->places[1])
    return call.raise("col2im: the number of windows does not fit");
  Extents shape(x.at.shape.begin(), x.at.shape.end() - 1);
  shape.back() = rows / area;
  shape.insert(shape.end(), s->image.begin(), s->image.end());
  const Array out = call.output(x.at.dtype, shape);
  if (!call.ok() || !call.spend({x.at.numel() + out.at.numel()})) return;
  with_dense_type(x.at.dtype, [&](auto zero) { fold_back<decltype(zero)>(call, *s, x, out); });
}

/// The two neighbours along one dimension, and their weights.
struct Between {
  std::int64_t low = 0, high = 0;
  double low_weight = 1, high_weight = 0;
};

Between between(std::int64_t in, std::int64_t out, std::int64_t i, bool corners, double said, Dtype type) {
  if (in == out) return {i, i, 1, 0};
  double scale = 0;
  if (corners)
    scale = out > 1 ? rounded(type, static_cast<double>(in - 1) / static_cast<double>(out - 1)) : 0;
  else
    scale = rounded(type, said > 0 ? 1 / said : static_cast<double>(in) / static_cast<double>(out));
  const auto place = static_cast<double>(i);
  double at = rounded(type, corners ? scale * place : scale * (place + 0.5) - 0.5);
  at = std::max(at, 0.0);
  Between b;
  b.low = std::min(static_cast<std::int64_t>(std::floor(at)), in - 1);
  b.high = std::min(b.low + 1, in - 1);
  b.high_weight = std::clamp(at - static_cast<double>(b.low), 0.0, 1.0);
  b.low_weight = rounded(type, 1 - b.high_weight);
  return b;
}

/// out[n, c, i, j] is the weighted mean of four neighbours in x.
void interpolate(Call& call, const Array& x, const std::vector<Between>& rows,
                 const std::vector<Between>& columns) {
  const Extents shape{x.at.shape[0], x.at.shape[1], std::ssize(rows), std::ssize(columns)};
  const bool last = prefers_channels_last(x.at);
  const Array out =
      call.output(x.at.dtype, shape, last ? channels_last_strides(shape) : contiguous_strides(shape));
  const std::int64_t count = out.at.numel(), height = x.at.shape[2], width = x.at.shape[3];
  if (!call.spend({count, 4})) return;
  const Elements from(x.at), to(out.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    const Between &r = rows[static_cast<std::size_t>(k / shape[3] % shape[2])],
                  &c = columns[static_cast<std::size_t>(k % shape[3])];
    const std::int64_t plane = k / shape[3] / shape[2] * height;
    const auto value = [&](std::int64_t row, std::int64_t column) {
      return call.load(x, from.at((plane + row) * width + column)).as_real();
    };
    call.begin();
    const double upper = value(r.low, c.low) * c.low_weight + value(r.low, c.high) * c.high_weight;
    const double lower = value(r.high, c.low) * c.low_weight + value(r.high, c.high) * c.high_weight;
    call.store(out, to.at(k), Number::of_real(upper * r.low_weight + lower * r.high_weight));
  }
}

/// upsample_bilinear2d(input, output_size, align_corners, scales_h, scales_w); .vec has a list of scales.
void run_bilinear(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const bool listed = row.op.ends_with(".vec"), corners = call.boolean(2, false);
  Extents sizes = call.integers(1);
  std::vector<double> scales{0, 0};
  for (std::size_t d = 0; d < 2; ++d) {
    if (!listed && call.has(3 + d)) scales[d] = call.real(3 + d, 0);
    if (listed && call.arg(3).list.size() == 2)
      scales[d] = call.arg(3).list[d].number().value_or(Number{}).as_real();
  }
  if (!call.ok()) return;
  if (x.at.shape.size() != 4) return call.raise("upsample: the number of dimensions does not fit");
  if (!is_floating(x.at.dtype)) return call.decline("bilinear interpolation of whole numbers");
  for (std::size_t d = 0; listed && d < 2 && sizes.size() == d; ++d)
    sizes.push_back(static_cast<std::int64_t>(static_cast<double>(x.at.shape[2 + d]) * scales[d]));
  std::vector<Between> along[2];
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t in = x.at.shape[2 + d], wanted = sizes.size() == 2 ? sizes[d] : 0;
    if (in < 1 || wanted < 1 || !call.spend({wanted})) return call.raise("upsample: sizes must be positive");
    for (std::int64_t i = 0; i < wanted; ++i)
      along[d].push_back(between(in, wanted, i, corners, scales[d], x.at.dtype));
  }
  interpolate(call, x, along[0], along[1]);
}

const KernelRow kFoldRows[] = {
    {"im2col.default", run_im2col},
    {"col2im.default", run_col2im},
    {"upsample_bilinear2d.default", run_bilinear},
    {"upsample_bilinear2d.vec", run_bilinear},
};

}  // namespace

std::span<const KernelRow> fold_kernels() { return kFoldRows; }

}  // namespace noclobber
