// Counts, extremes and indices along dimensions, beyond plain sums and sorts.
#include <algorithm>

#include "src/kernels/axes.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

/// Visits every line of a reduction: the elements base + along.at(j), and the position of the result.
template <class F>
void each_line(Call& call, const Array& x, const Axes& axes, F f) {
  const std::int64_t outer = axes.kept.numel(), inner = axes.reduced.numel();
  if (!call.spend({outer, std::max<std::int64_t>(inner, 1)})) return;
  const Elements kept(axes.kept), along(axes.reduced);
  std::vector<Number> line(static_cast<std::size_t>(inner));
  for (std::int64_t i = 0; i < outer && call.ok(); ++i) {
    call.begin();
    for (std::int64_t j = 0; j < inner; ++j)
      line[static_cast<std::size_t>(j)] = call.load(x, kept.at(i) + along.at(j));
    f(i, line);
  }
}

void run_count_nonzero(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const auto axes = axes_of(call, x.at, call.has(1) ? call.integers(1) : Extents{}, false);
  if (!axes) return;
  const Array out = call.output(Dtype::i64, axes->shape);
  if (!call.ok()) return;
  const Elements to(out.at);
  each_line(call, x, *axes, [&](std::int64_t i, const std::vector<Number>& line) {
    const auto count = std::count_if(line.begin(), line.end(), [](const Number& n) { return n.truthy(); });
    call.store(out, to.at(i), Number::of(count));
  });
}

/// nansum(self, dim, keepdim, dtype): NaN is left out.
void run_nansum(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const auto axes = axes_of(call, x.at, call.has(1) ? call.integers(1) : Extents{}, call.boolean(2, false));
  if (!axes) return;
  const bool whole = x.at.dtype == Dtype::boolean || is_integer(x.at.dtype);
  const Dtype plain = whole ? Dtype::i64 : x.at.dtype;
  const Dtype dtype = call.dtype(3, call.targets.empty() ? plain : call.targets[0].at.dtype);
  if (is_complex(x.at.dtype)) return call.raise("nansum does not support complex inputs");
  const Array out = call.output(dtype, axes->shape);
  if (!call.ok()) return;
  const Elements to(out.at);
  each_line(call, x, *axes, [&](std::int64_t i, const std::vector<Number>& line) {
    Number sum = is_floating(dtype) ? Number::of_real(0) : convert(Number::of(0), dtype);
    for (const Number& n : line)
      if (const Number taken = convert(n, dtype); !is_nan(taken)) sum = add_numbers(sum, taken);
    call.store(out, to.at(i), sum);
  });
}

/// aminmax(self, *, dim, keepdim): a NaN is both the least and the greatest.
void run_aminmax(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const Extents dims = call.has(1) ? Extents{call.dim(1, 0, x.at.rank())} : Extents{};
  const auto axes = axes_of(call, x.at, dims, call.boolean(2, false));
  if (!axes) return;
  if (axes->reduced.numel() == 0) return call.raise("aminmax(): an input without elements has no identity");
  const Array least = call.output(x.at.dtype, axes->shape), most = call.output(x.at.dtype, axes->shape);
  if (!call.ok()) return;
  const Elements to_least(least.at), to_most(most.at);
  each_line(call, x, *axes, [&](std::int64_t i, const std::vector<Number>& line) {
    Number low = line[0], high = line[0];
    for (const Number& n : line) {
      if (!is_nan(low) && (is_nan(n) || less_number(n, low))) low = n;
      if (less_number(high, n)) high = n;
    }
    call.store(least, to_least.at(i), low);
    call.store(most, to_most.at(i), high);
  });
}

/// variant 0: cummax, 1: cummin. The last of equal elements wins.
void run_running_extreme(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const std::int64_t dim = call.dim(1, 0, x.at.rank());
  const auto axes = axes_of(call, x.at, {dim}, true);
  if (!axes) return;
  const Array values = call.output(x.at.dtype, x.at.shape), places = call.output(Dtype::i64, x.at.shape);
  if (!call.ok()) return;
  const auto to = axes_of(call, values.at, {dim}, true), to_place = axes_of(call, places.at, {dim}, true);
  if (!to || !to_place) return;
  const Elements kept(to->kept), along(to->reduced), place_kept(to_place->kept),
      place_along(to_place->reduced);
  each_line(call, x, *axes, [&](std::int64_t i, const std::vector<Number>& line) {
    std::size_t best = 0;
    for (std::size_t j = 0; j < line.size(); ++j) {
      const Number &n = line[j], &held = line[best];
      const double a = n.as_real(), b = held.as_real();
      const bool beats = n.kind == Number::Kind::integer
                             ? (row.variant == 0 ? n.integer >= held.integer : n.integer <= held.integer)
                             : (row.variant == 0 ? a >= b : a <= b);
      if (is_nan(n) || (!is_nan(held) && beats)) best = j;
      const auto at = static_cast<std::int64_t>(j);
      call.store(values, kept.at(i) + along.at(at), line[best]);
      call.store(places, place_kept.at(i) + place_along.at(at), Number::of(static_cast<std::int64_t>(best)));
    }
  });
}

/// linalg_vector_norm(self, ord, dim, keepdim, dtype).
void run_vector_norm(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const double ord = call.real(1, 2);
  const auto axes = axes_of(call, x.at, call.has(2) ? call.integers(2) : Extents{}, call.boolean(3, false));
  if (!axes) return;
  if (!is_floating(x.at.dtype) || call.has(4)) return call.decline("a norm of or in another type");
  if (axes->reduced.numel() == 0 && (ord < 0 || std::isinf(ord)))
    return call.raise("linalg.vector_norm cannot compute the norm of nothing");
  const Array out = call.output(x.at.dtype, axes->shape);
  if (!call.ok()) return;
  const Elements to(out.at);
  each_line(call, x, *axes, [&](std::int64_t i, const std::vector<Number>& line) {
    double sum = std::isinf(ord) && ord < 0 ? std::numeric_limits<double>::infinity() : 0;
    for (const Number& n : line) {
      const double v = std::abs(n.re);
      if (std::isinf(ord))
        sum = std::isnan(v) || std::isnan(sum) ? v + sum : ord > 0 ? std::max(sum, v) : std::min(sum, v);
      else
        sum += ord == 0 ? (v != 0) : ord == 1 ? v : ord == 2 ? v * v : std::pow(v, ord);
    }
    const bool root = !std::isinf(ord) && ord != 0 && ord != 1;
    call.store(out, to.at(i),
               Number::of_real(!root      ? sum
                               : ord == 2 ? std::sqrt(sum)
                                          : std::pow(sum, 1 / ord)));
  });
}

void run_trace(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  if (!call.ok()) return;
  if (x.at.rank() != 2) return call.raise("trace: expected a matrix");
  const bool whole = x.at.dtype == Dtype::boolean || is_integer(x.at.dtype);
  const Dtype dtype = whole ? Dtype::i64 : x.at.dtype;
  const Array out = call.output(dtype, {});
  const std::int64_t count = std::min(x.at.shape[0], x.at.shape[1]);
  if (!call.ok() || !call.spend({count})) return;
  call.begin();
  Number sum = convert(Number::of(0), is_floating(dtype) ? Dtype::f64 : dtype);
  for (std::int64_t k = 0; k < count; ++k)
    sum = add_numbers(sum, call.load(x, x.at.offset + k * (x.at.stride[0] + x.at.stride[1])));
  call.store(out, out.at.offset, sum);
}

/// variant 0: eye(n), 1: eye(n, m).
void run_eye(Call& call, const KernelRow& row) {
  const std::int64_t rows = call.integer(0, 0), columns = row.variant == 1 ? call.integer(1, 0) : rows;
  const std::size_t next = row.variant == 1 ? 2 : 1;
  if (rows < 0 || columns < 0) return call.raise("eye: sizes must not be negative");
  const Array out = call.output(
      call.targets.empty() ? call.dtype(next, Dtype::f32) : call.targets[0].at.dtype, {rows, columns});
  call.begin();
  if (!call.ok() || !call.spend({rows, columns})) return;
  // A loop over elements: an empty result may have more rows than can be counted.
  for (std::int64_t k = 0; k < rows * columns; ++k) {
    const std::int64_t i = k / columns, j = k % columns;
    call.store(out, out.at.offset + i * out.at.stride[0] + j * out.at.stride[1], Number::of(i == j ? 1 : 0));
  }
}

/// The first index of a sorted line at which `value` may be inserted; after equal elements if `right`.
std::int64_t place_in(const std::vector<Number>& line, const Number& value, bool right) {
  auto below = [](const Number& a, const Number& b) { return less_number(a, b); };
  const auto at = right ? std::upper_bound(line.begin(), line.end(), value, below)
                        : std::lower_bound(line.begin(), line.end(), value, below);
  return at - line.begin();
}

/// bucketize(self, boundaries, *, out_int32, right).
void run_bucketize(Call& call, const KernelRow&) {
  const Array x = call.tensor(0), bounds = call.tensor(1);
  if (!call.ok()) return;
  if (bounds.at.rank() != 1) return call.raise("bucketize: boundaries must be one-dimensional");
  const bool right = call.boolean(3, false);
  const Array out = call.output(call.boolean(2, false) ? Dtype::i32 : Dtype::i64, x.at.shape);
  const std::int64_t count = x.at.numel(), steps = bounds.at.numel();
  if (!call.ok() || !call.spend({count, std::max<std::int64_t>(steps, 1)})) return;
  const Elements from(x.at), to(out.at), bound(bounds.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    call.begin();
    std::vector<Number> line;
    for (std::int64_t j = 0; j < steps; ++j) line.push_back(call.load(bounds, bound.at(j)));
    call.store(out, to.at(k), Number::of(place_in(line, call.load(x, from.at(k)), right)));
  }
}

/// take(self, index): elements by their row-major index.
void run_take(Call& call, const KernelRow&) {
  const Array x = call.tensor(0), index = call.tensor(1);
  if (!call.ok()) return;
  if (index.at.dtype != Dtype::i64) return call.raise("take(): expected a long tensor for index");
  const Array out = call.output(x.at.dtype, index.at.shape);
  const std::int64_t count = index.at.numel(), size = x.at.numel();
  if (!call.ok() || !call.spend({count})) return;
  const Elements from(x.at), places(index.at), to(out.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    call.begin();
    const std::int64_t at = call.load(index, places.at(k)).integer;
    if (at < -size || at >= size) return call.raise("index out of range");
    call.store(out, to.at(k), call.load(x, from.at(at < 0 ? at + size : at)));
  }
}

const KernelRow kTallyRows[] = {
    kernel_row("count_nonzero.default", run_count_nonzero),
    kernel_row("count_nonzero.dim_IntList", run_count_nonzero),
    kernel_row("nansum.default", run_nansum),
    kernel_row("aminmax.default", run_aminmax),
    kernel_row("cummax.default", run_running_extreme, 0),
    kernel_row("cummin.default", run_running_extreme, 1),
    kernel_row("linalg_vector_norm.default", run_vector_norm),
    kernel_row("trace.default", run_trace),
    kernel_row("eye.default", run_eye, 0),
    kernel_row("eye.m", run_eye, 1),
    kernel_row("bucketize.Tensor", run_bucketize),
    kernel_row("take.default", run_take),
};

}  // namespace

std::span<const KernelRow> tally_kernels() { return kTallyRows; }

}  // namespace noclobber
