// Operators that order elements: sort, topk, arg-reductions. Sorts are stable.
#include <algorithm>
#include <numeric>

#include "src/kernels/axes.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

/// variant bit 0: smallest, bit 1: values and indices (max.dim) instead of indices alone (argmax).
void run_arg_reduction(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const bool smallest = (row.variant & 1) != 0, both = (row.variant & 2) != 0;
  const Extents dims = call.has(1) ? call.integers(1) : Extents{};
  const auto axes = axes_of(call, x.at, dims, call.boolean(2, false));
  if (!axes) return;
  const std::int64_t outer = axes->kept.numel(), inner = axes->reduced.numel();
  if (inner == 0) return call.raise("Expected reduction dim to be specified for an input without elements");
  const Array values = both ? call.output(x.at.dtype, axes->shape) : Array{};
  const Array indices = call.output(Dtype::i64, axes->shape);
  if (!call.ok() || !call.spend({outer, inner})) return;
  const Elements kept(axes->kept), reduced(axes->reduced), to(indices.at),
      to_value(both ? values.at : indices.at);
  for (std::int64_t i = 0; i < outer && call.ok(); ++i) {
    call.begin();
    Number best;
    std::int64_t at = 0;
    for (std::int64_t j = 0; j < inner; ++j) {
      const Number n = call.load(x, kept.at(i) + reduced.at(j));
      const bool better = smallest ? (is_nan(n) ? !is_nan(best) : !is_nan(best) && less_number(n, best))
                                   : less_number(best, n);
      if (j != 0 && !better) continue;
      best = n;
      at = j;
    }
    if (both) call.store(values, to_value.at(i), best);
    call.store(indices, to.at(i), Number::of(at));
  }
}

/// The indices of one line of `x` in sorted order.
std::vector<std::int64_t> ordered_line(Call& call, const Array& x, std::int64_t base, const Elements& along,
                                       std::int64_t count, bool descending, std::vector<Number>& line) {
  line.clear();
  for (std::int64_t j = 0; j < count; ++j) line.push_back(call.load(x, base + along.at(j)));
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const Number &p = line[static_cast<std::size_t>(a)], &q = line[static_cast<std::size_t>(b)];
    return descending ? less_number(q, p) : less_number(p, q);
  });
  return order;
}

/// Chooses among equal elements as PyTorch does: std::partial_sort for few of many, else std::nth_element.
std::vector<std::int64_t> topmost_line(const std::vector<Number>& line, std::int64_t taken, bool largest,
                                       bool sorted) {
  std::vector<std::int64_t> order(line.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  auto before = [&](std::int64_t a, std::int64_t b) {
    const Number &p = line[static_cast<std::size_t>(a)], &q = line[static_cast<std::size_t>(b)];
    return largest ? less_number(q, p) : less_number(p, q);
  };
  const auto end = order.begin() + taken;
  if (taken <= std::ssize(line) / 64) {
    std::partial_sort(order.begin(), end, order.end(), before);
  } else if (taken > 0) {
    std::nth_element(order.begin(), end - 1, order.end(), before);
    if (sorted) std::sort(order.begin(), end - 1, before);
  }
  return order;
}

/// How a line is ordered: by a stable sort, or as topk does.
enum class Choice : std::uint8_t { stable, top_sorted, top_unsorted };

void ordered(Call& call, const Array& x, std::int64_t dim, std::int64_t taken, bool descending,
             const Extents& stride, Choice choice) {
  const auto axes = axes_of(call, x.at, {dim}, true);
  if (!axes) return;
  Extents shape = x.at.shape;
  if (!shape.empty()) shape[static_cast<std::size_t>(dim)] = taken;
  const Array values = call.output(x.at.dtype, shape, stride),
              indices = call.output(Dtype::i64, shape, stride);
  const std::int64_t outer = axes->kept.numel(), inner = axes->reduced.numel();
  const auto to = axes_of(call, values.at, {dim}, true), to_index = axes_of(call, indices.at, {dim}, true);
  if (!call.ok() || !to || !to_index || !call.spend({outer, std::max<std::int64_t>(inner, 1), 8})) return;
  const Elements kept(axes->kept), along(axes->reduced), value_kept(to->kept), value_along(to->reduced);
  const Elements index_kept(to_index->kept), index_along(to_index->reduced);
  std::vector<Number> line;
  for (std::int64_t i = 0; i < outer && call.ok(); ++i) {
    call.begin();
    auto order = ordered_line(call, x, kept.at(i), along, inner, descending, line);
    if (choice != Choice::stable) order = topmost_line(line, taken, descending, choice == Choice::top_sorted);
    for (std::int64_t j = 0; j < taken && call.ok(); ++j) {
      const std::int64_t from = order[static_cast<std::size_t>(j)];
      call.store(values, value_kept.at(i) + value_along.at(j), line[static_cast<std::size_t>(from)]);
      call.store(indices, index_kept.at(i) + index_along.at(j), Number::of(from));
    }
  }
}

/// variant: the position of argument `dim`.
void run_sort(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const auto at = static_cast<std::size_t>(row.variant);
  const std::int64_t dim = call.dim(at, -1, x.at.rank());
  if (!call.ok()) return;
  const std::int64_t count = x.at.shape.empty() ? 1 : x.at.shape[static_cast<std::size_t>(dim)];
  ordered(call, x, dim, count, call.boolean(at + 1, false), preserved_strides(x.at), Choice::stable);
}

void run_topk(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const std::int64_t k = call.integer(1, 1), dim = call.dim(2, -1, x.at.rank());
  if (!call.ok()) return;
  const std::int64_t count = x.at.shape.empty() ? 1 : x.at.shape[static_cast<std::size_t>(dim)];
  if (k < 0 || k > count) return call.raise("selected index k out of range");
  const bool scalar = x.at.shape.empty();  // its one element is taken, whatever k is
  Extents shape = x.at.shape;
  if (!scalar) shape[static_cast<std::size_t>(dim)] = k;
  const Choice choice = call.boolean(4, true) ? Choice::top_sorted : Choice::top_unsorted;
  ordered(call, x, dim, scalar ? 1 : k, call.boolean(3, true), contiguous_strides(shape), choice);
}

const KernelRow kOrderRows[] = {
    kernel_row("argmax.default", run_arg_reduction, 0),
    kernel_row("argmin.default", run_arg_reduction, 1),
    kernel_row("max.dim", run_arg_reduction, 2),
    kernel_row("min.dim", run_arg_reduction, 3),
    kernel_row("sort.default", run_sort, 1),
    kernel_row("sort.stable", run_sort, 2),
    kernel_row("topk.default", run_topk, 0),
};

}  // namespace

std::span<const KernelRow> order_kernels() { return kOrderRows; }

}  // namespace noclobber
