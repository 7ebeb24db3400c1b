// Distances between rows, and the derivative of group norm: sums over pairs of rows and over groups of
// channels.
#include <algorithm>
#include <cmath>

#include "src/kernels/kernels.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

/// The p-norm of a difference, term by term.
class Norm {
 public:
  explicit Norm(double p) : p_(p) {}
  void add(double gap) {
    gap = std::abs(gap);
    if (p_ == 0)
      sum_ += gap != 0 ? 1 : 0;
    else if (std::isinf(p_))
      sum_ = std::isnan(gap) || std::isnan(sum_) ? gap + sum_ : std::max(sum_, gap);
    else
      sum_ += p_ == 1 ? gap : p_ == 2 ? gap * gap : std::pow(gap, p_);
  }
  double value() const {
    const bool plain = p_ == 0 || p_ == 1 || std::isinf(p_);
    return plain ? sum_ : p_ == 2 ? std::sqrt(sum_) : std::pow(sum_, 1 / p_);
  }

 private:
  double p_, sum_ = 0;
};

/// _cdist_forward(x1, x2, p, compute_mode): every row of x1 against every row of x2, in batches.
void run_cdist(Call& call, const KernelRow&) {
  const Array x = call.tensor(0), y = call.tensor(1);
  const double p = call.real(2, 2);
  if (!call.ok()) return;
  if (x.at.rank() < 2 || y.at.rank() < 2 || x.at.shape.back() != y.at.shape.back() || p < 0)
    return call.raise("cdist: the sizes do not fit");
  if (!is_floating(x.at.dtype) || x.at.dtype != y.at.dtype) return call.decline("cdist of such types");
  const auto batch = broadcast_shapes({x.at.shape.begin(), x.at.shape.end() - 2},
                                      {y.at.shape.begin(), y.at.shape.end() - 2});
  if (!batch) return call.raise("cdist: batches do not broadcast");
  const std::int64_t rows = x.at.shape.end()[-2], columns = y.at.shape.end()[-2], width = x.at.shape.back();
  const auto shown = [&](const Array& a) {
    Extents shape = *batch;
    shape.insert(shape.end(), a.at.shape.end() - 2, a.at.shape.end());
    return Elements(a.at, shape);
  };
  const Elements of_x = shown(x), of_y = shown(y);
  Extents shape = *batch;
  shape.push_back(rows);
  shape.push_back(columns);
  const Array out = call.output(x.at.dtype, shape);
  const std::int64_t count = out.at.numel();
  if (!call.ok() || !call.spend({count, std::max<std::int64_t>(width, 1)})) return;
  const Elements to(out.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    const std::int64_t b = k / columns / rows, i = k / columns % rows, j = k % columns;
    Norm norm(p);
    call.begin();
    for (std::int64_t m = 0; m < width; ++m)
      norm.add(call.load(x, of_x.at((b * rows + i) * width + m)).as_real() -
               call.load(y, of_y.at((b * columns + j) * width + m)).as_real());
    call.store(out, to.at(k), Number::of_real(norm.value()));
  }
}

/// _pdist_forward(self, p): each pair of rows once.
void run_pdist(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const double p = call.real(1, 2);
  if (!call.ok()) return;
  if (x.at.rank() != 2 || p < 0) return call.decline("pdist of other than a matrix");
  if (!is_floating(x.at.dtype)) return call.decline("pdist of such types");
  const std::int64_t rows = x.at.shape[0], width = x.at.shape[1];
  if (!call.spend({rows, rows, std::max<std::int64_t>(width, 1)})) return;
  const Array out = call.output(x.at.dtype, {rows < 2 ? 0 : rows * (rows - 1) / 2});
  if (!call.ok()) return;
  const Elements from(x.at), to(out.at);
  std::int64_t k = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = i + 1; j < rows && call.ok(); ++j, ++k) {
      Norm norm(p);
      call.begin();
      for (std::int64_t m = 0; m < width; ++m)
        norm.add(call.load(x, from.at(i * width + m)).as_real() -
                 call.load(x, from.at(j * width + m)).as_real());
      call.store(out, to.at(k), Number::of_real(norm.value()));
    }
}

/// native_group_norm_backward(grad, input, mean, rstd, weight, N, C, HxW, group, output_mask).
struct GroupNormBackward {
  Call& call;
  Array grad, x, mean, rstd, weight;
  std::int64_t batch = 0, channels = 0, area = 0, groups = 1;
  bool weighs = false;
  double slope(std::int64_t k) const { return call.load(grad, Elements(grad.at).at(k)).as_real(); }
  double value(std::int64_t k) const { return call.load(x, Elements(x.at).at(k)).as_real(); }
  double of(const Array& a, std::int64_t k) const { return call.load(a, Elements(a.at).at(k)).as_real(); }
  double factor(std::int64_t c) const { return weighs ? of(weight, c) : 1; }
  std::int64_t group_of(std::int64_t n, std::int64_t c) const { return n * groups + c / (channels / groups); }
  double slopes(std::int64_t plane, bool times_value) const {
    double sum = 0;
    for (std::int64_t k = plane * area; k < (plane + 1) * area; ++k)
      sum += slope(k) * (times_value ? value(k) : 1);
    return sum;
  }
};

void derive_grouped_input(const GroupNormBackward& b, const Array& out) {
  const std::int64_t each = b.channels / b.groups;
  const Elements to(out.at);
  for (std::int64_t g = 0; g < b.batch * b.groups && b.call.ok(); ++g) {
    b.call.begin();
    double products = 0, sums = 0;
    for (std::int64_t c = 0; c < each; ++c) {
      const double factor = b.factor(g % b.groups * each + c);
      products += b.slopes(g * each + c, true) * factor;
      sums += b.slopes(g * each + c, false) * factor;
    }
    const double mean = b.of(b.mean, g), rstd = b.of(b.rstd, g),
                 share = 1 / static_cast<double>(each * b.area);
    const double second = (sums * mean - products) * rstd * rstd * rstd * share;
    const double third = -second * mean - sums * rstd * share;
    for (std::int64_t k = g * each * b.area; k < (g + 1) * each * b.area && b.call.ok(); ++k) {
      const double first = rstd * b.factor(k / b.area % b.channels);
      b.call.store(out, to.at(k), Number::of_real(first * b.slope(k) + second * b.value(k) + third));
    }
  }
}

void derive_grouped_parameter(const GroupNormBackward& b, const Array& out, bool of_weight) {
  const Elements to(out.at);
  for (std::int64_t c = 0; c < b.channels && b.call.ok(); ++c) {
    b.call.begin();
    double sum = 0;
    for (std::int64_t n = 0; n < b.batch; ++n) {
      const std::int64_t plane = n * b.channels + c, group = b.group_of(n, c);
      const double slopes = b.slopes(plane, false);
      sum +=
          of_weight ? (b.slopes(plane, true) - slopes * b.of(b.mean, group)) * b.of(b.rstd, group) : slopes;
    }
    b.call.store(out, to.at(c), Number::of_real(sum));
  }
}

/// Its own strides if it is contiguous or channels last, whatever they are along dimensions of size 1; else
/// the strides of its memory format.
Extents settled_strides(const Geometry& g) {
  if (prefers_channels_last(g)) return is_channels_last(g) ? g.stride : channels_last_strides(g.shape);
  return is_contiguous(g) ? g.stride : contiguous_strides(g.shape);
}

void run_group_norm_backward(Call& call, const KernelRow&) {
  GroupNormBackward b{call, call.tensor(0), call.tensor(1), call.tensor(2), call.tensor(3), {}};
  b.weighs = call.has(4);
  if (b.weighs) b.weight = call.tensor(4);
  b.batch = call.integer(5, 0), b.channels = call.integer(6, 0), b.area = call.integer(7, 0);
  b.groups = call.integer(8, 1);
  const std::vector<Datum>& mask = call.arg(9).list;
  if (!call.ok()) return;
  const bool fits =
      b.groups > 0 && b.channels % b.groups == 0 && mask.size() == 3 && b.grad.at.shape == b.x.at.shape &&
      is_product(b.x.at.numel(), {b.batch, b.channels, b.area}) &&
      is_product(b.mean.at.numel(), {b.batch, b.groups}) &&
      is_product(b.rstd.at.numel(), {b.batch, b.groups}) && (!b.weighs || b.weight.at.numel() == b.channels);
  if (!fits || !is_floating(b.x.at.dtype)) return call.decline("group norm backward of such sizes or types");
  if (!call.spend({std::max<std::int64_t>(b.x.at.numel(), 1), 12})) return;
  for (std::size_t k = 0; k < 3 && call.ok(); ++k) {
    if (!mask[k].boolean) {
      call.results.emplace_back();
      continue;
    }
    const Dtype dtype = k > 0 && b.weighs ? b.weight.at.dtype : b.x.at.dtype;
    const Array out =
        k > 0 ? call.output(dtype, {b.channels})
              : call.output(dtype, b.x.at.shape,
                            b.batch > 0 ? settled_strides(b.x.at) : contiguous_strides(b.x.at.shape));
    if (!call.ok()) return;
    if (k == 0) derive_grouped_input(b, out);
    if (k > 0) derive_grouped_parameter(b, out, k == 1);
  }
}

const KernelRow kDistanceRows[] = {
    kernel_row("_cdist_forward.default", run_cdist),
    kernel_row("_pdist_forward.default", run_pdist),
    kernel_row("native_group_norm_backward.default", run_group_norm_backward),
};

}  // namespace

std::span<const KernelRow> distance_kernels() { return kDistanceRows; }

}  // namespace noclobber
