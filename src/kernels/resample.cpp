// Results whose element (..., i, j) is the argument's element (..., f(i), g(j)): nearest neighbours, and
// padding with elements of the border.
#include <algorithm>
#include <cmath>

#include "src/kernels/kernels.h"

namespace noclobber {
namespace {

/// out[n, c, i, j] = x[n, c, from[0][i], from[1][j]]. `from` has a list for each of the last dimensions of x.
void picked(Call& call, const Array& x, const std::vector<Extents>& from, const Extents& stride) {
  Extents shape = x.at.shape;
  const std::size_t first = shape.size() - from.size();
  for (std::size_t d = 0; d < from.size(); ++d) shape[first + d] = std::ssize(from[d]);
  const Array out = call.output(x.at.dtype, shape, stride.empty() ? contiguous_strides(shape) : stride);
  const std::int64_t count = out.at.numel();
  if (!call.ok() || !call.spend({count})) return;
  const Elements to(out.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    std::int64_t at = x.at.offset, rest = k;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
      const std::int64_t i = rest % shape[d];
      at += x.at.stride[d] * (d < first ? i : from[d - first][static_cast<std::size_t>(i)]);
    }
    call.move(x, at, out, to.at(k));
  }
}

/// variant bit 0: reflection instead of replication; the other bits: the number of dimensions.
void run_border_pad(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const Extents pad = call.integers(1);
  const bool reflects = (row.variant & 1) != 0;
  const std::size_t dims = static_cast<std::size_t>(row.variant) / 2, rank = x.at.shape.size();
  if (pad.size() != 2 * dims || (rank != dims + 1 && rank != dims + 2))
    return call.raise("padding: the number of dimensions does not fit");
  std::vector<Extents> from(dims);
  for (std::size_t d = 0; d < dims; ++d) {
    const std::int64_t size = x.at.shape[rank - dims + d], before = pad[2 * (dims - 1 - d)],
                       after = pad[2 * (dims - 1 - d) + 1];
    std::int64_t padded = 0;
    const bool open =
        __builtin_add_overflow(size, before, &padded) || __builtin_add_overflow(padded, after, &padded);
    if (open || size == 0 || (reflects && (before >= size || after >= size)) || padded < 1)
      return call.raise("padding: the size does not fit");
    if (!call.spend({padded})) return;
    for (std::int64_t k = 0; k < padded; ++k) {
      const std::int64_t i = k - before;
      const std::int64_t inside = reflects && i < 0 ? -i : reflects && i >= size ? 2 * size - 2 - i : i;
      from[d].push_back(std::clamp<std::int64_t>(inside, 0, size - 1));
    }
  }
  Extents shape = x.at.shape;
  for (std::size_t d = 0; d < dims; ++d) shape[rank - dims + d] = std::ssize(from[d]);
  const bool last = dims > 1 && rank == dims + 2 && prefers_channels_last(x.at);
  picked(call, x, from, last ? channels_last_strides(shape) : Extents{});
}

/// Turns (input, output_size, scale_factors) into (input, output_size, scale per dimension).
void scales_as_sizes(Call& call, const Geometry& g) {
  const std::vector<Datum> scales = call.arg(2).list;
  call.args.resize(2);
  for (std::size_t d = 0; d < scales.size(); ++d) call.args.push_back(scales[d]);
  if (call.has(1)) return;
  std::vector<Datum> sizes;
  for (std::size_t d = 0; d < scales.size() && d + 2 < g.shape.size(); ++d) {
    const double scale = scales[d].number().value_or(Number::of(0)).as_real();
    sizes.push_back(Datum::of(static_cast<std::int64_t>(static_cast<double>(g.shape[d + 2]) * scale)));
  }
  call.args[1] = Datum::of_list(std::move(sizes));
}

/// variant bit 0: "exact", which samples at the middle of an element; the other bits: the number of
/// dimensions.
void run_upsample_nearest(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  if (row.op.ends_with(".vec")) scales_as_sizes(call, x.at);
  const Extents sizes = call.integers(1);
  const bool exact = (row.variant & 1) != 0;
  const std::size_t dims = static_cast<std::size_t>(row.variant) / 2, rank = x.at.shape.size();
  if (!call.ok()) return;
  if (rank != dims + 2 || sizes.size() != dims)
    return call.raise("upsample: the number of dimensions does not fit");
  std::vector<Extents> from(dims);
  Extents shape = x.at.shape;
  for (std::size_t d = 0; d < dims; ++d) {
    const std::int64_t size = x.at.shape[d + 2], wanted = sizes[d];
    if (size < 1 || wanted < 1) return call.raise("upsample: sizes must be positive");
    if (!call.spend({wanted})) return;
    const double said = call.has(2 + d) ? call.real(2 + d, 0) : 0;
    const float scale =
        said > 0 ? static_cast<float>(1.0 / said) : static_cast<float>(size) / static_cast<float>(wanted);
    for (std::int64_t i = 0; i < wanted; ++i) {
      const float at = exact ? (static_cast<float>(i) + 0.5F) * scale : static_cast<float>(i) * scale;
      const std::int64_t place = size == wanted ? i : static_cast<std::int64_t>(std::floor(at));
      from[d].push_back(std::clamp<std::int64_t>(place, 0, size - 1));
    }
    shape[d + 2] = wanted;
  }
  picked(call, x, from, prefers_channels_last(x.at) ? channels_last_strides(shape) : Extents{});
}

const KernelRow kResampleRows[] = {
    kernel_row("replication_pad1d.default", run_border_pad, 2),
    kernel_row("replication_pad2d.default", run_border_pad, 4),
    kernel_row("replication_pad3d.default", run_border_pad, 6),
    kernel_row("reflection_pad1d.default", run_border_pad, 3),
    kernel_row("reflection_pad2d.default", run_border_pad, 5),
    kernel_row("reflection_pad3d.default", run_border_pad, 7),
    kernel_row("upsample_nearest1d.default", run_upsample_nearest, 2),
    kernel_row("upsample_nearest2d.default", run_upsample_nearest, 4),
    kernel_row("upsample_nearest3d.default", run_upsample_nearest, 6),
    kernel_row("upsample_nearest1d.vec", run_upsample_nearest, 2),
    kernel_row("upsample_nearest2d.vec", run_upsample_nearest, 4),
    kernel_row("upsample_nearest3d.vec", run_upsample_nearest, 6),
    kernel_row("_upsample_nearest_exact1d.default", run_upsample_nearest, 3),
    kernel_row("_upsample_nearest_exact2d.default", run_upsample_nearest, 5),
    kernel_row("_upsample_nearest_exact3d.default", run_upsample_nearest, 7),
};

}  // namespace

std::span<const KernelRow> resample_kernels() { return kResampleRows; }

}  // namespace noclobber
