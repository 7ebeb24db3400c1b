// Views by strided formulas: select, slice and their like. None of them accesses an element.
#include <algorithm>

#include "src/kernels/kernels.h"

namespace noclobber {
namespace {

bool view_times(Call& call, std::int64_t a, std::int64_t b, std::int64_t& result) {
  if (!__builtin_mul_overflow(a, b, &result)) return true;
  call.raise("a view's strides overflow");
  return false;
}

void shift_offset(Call& call, Geometry& g, std::int64_t steps, std::int64_t stride) {
  std::int64_t by = 0;
  if (view_times(call, steps, stride, by) && __builtin_add_overflow(g.offset, by, &g.offset))
    call.raise("a view's offset overflows");
}

/// Reverses the order of the dimensions.
void run_reversed(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  Geometry g = x.at;
  std::reverse(g.shape.begin(), g.shape.end());
  std::reverse(g.stride.begin(), g.stride.end());
  call.alias(x, g);
}

void run_select(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const std::int64_t dim = call.dim(1, 0, x.at.rank()), index = call.integer(2, 0);
  if (const auto g = select_geometry(call, x.at, dim, index)) call.alias(x, *g);
}

void run_slice(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const std::int64_t dim = call.dim(1, 0, x.at.rank()), step = call.integer(4, 1);
  if (const auto g = slice_geometry(call, x.at, dim, call.arg(2), call.arg(3), step)) call.alias(x, *g);
}

void run_narrow(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const std::int64_t dim = call.dim(1, 0, x.at.rank());
  std::int64_t start = call.integer(2, 0), end = 0;
  const std::int64_t length = call.integer(3, 0);
  if (!call.ok()) return;
  if (x.at.shape.empty()) return call.raise("narrow() cannot be applied to a 0-dim tensor.");
  const std::int64_t size = x.at.shape[static_cast<std::size_t>(dim)];
  if (start < 0) start += size;
  if (start < 0 || length < 0 || __builtin_add_overflow(start, length, &end) || end > size)
    return call.raise("narrow exceeds the dimension's size");
  if (const auto g = slice_geometry(call, x.at, dim, Datum::of(start), Datum::of(end), 1)) call.alias(x, *g);
}

void permuted(Call& call, const Array& x, const Extents& order) {
  Geometry g = x.at;
  std::vector<bool> seen(order.size(), false);
  if (order.size() != x.at.shape.size()) return call.raise("permute needs one entry per dimension");
  for (std::size_t i = 0; i < order.size() && call.ok(); ++i) {
    const auto from = static_cast<std::size_t>(call.wrap_dim(order[i], x.at.rank()));
    if (!call.ok()) return;
    if (seen[from]) return call.raise("permute: duplicate dims are not allowed");
    seen[from] = true;
    g.shape[i] = x.at.shape[from];
    g.stride[i] = x.at.stride[from];
  }
  if (call.ok()) call.alias(x, g);
}

void run_permute(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  permuted(call, x, call.integers(1));
}

void run_transpose(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  if (row.variant == 1 && x.at.rank() > 2) return call.raise("t() expects a tensor with <= 2 dimensions");
  Geometry g = x.at;
  const std::int64_t a = row.variant == 1 ? 0 : call.dim(1, 0, g.rank());
  const std::int64_t b =
      row.variant == 1 ? std::max<std::int64_t>(g.rank() - 1, 0) : call.dim(2, 0, g.rank());
  if (!call.ok()) return;
  if (!g.shape.empty()) {
    std::swap(g.shape[static_cast<std::size_t>(a)], g.shape[static_cast<std::size_t>(b)]);
    std::swap(g.stride[static_cast<std::size_t>(a)], g.stride[static_cast<std::size_t>(b)]);
  }
  call.alias(x, g);
}

void run_movedim(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const Extents from = call.integers(1), to = call.integers(2);
  const auto rank = static_cast<std::size_t>(x.at.rank());
  Extents order(rank, -1);
  std::vector<bool> used(rank, false);
  if (from.size() != to.size()) return call.raise("movedim: source and destination differ in length");
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto f = static_cast<std::size_t>(call.wrap_dim(from[i], x.at.rank()));
    const auto t = static_cast<std::size_t>(call.wrap_dim(to[i], x.at.rank()));
    if (!call.ok() || rank == 0) break;
    if (used[f] || order[t] >= 0) return call.raise("movedim: repeated dim");
    used[f] = true;
    order[t] = static_cast<std::int64_t>(f);
  }
  std::size_t next = 0;
  for (std::int64_t& slot : order) {
    if (slot >= 0) continue;
    while (used[next]) ++next;
    slot = static_cast<std::int64_t>(next++);
  }
  permuted(call, x, order);
}

void run_expand(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const Extents shape = row.variant == 1 ? call.tensor(1).at.shape : call.integers(1);
  if (const auto g = expanded_geometry(call, x.at, shape)) call.alias(x, *g);
}

void run_broadcast_in_dim(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const Extents shape = call.integers(1), dims = call.integers(2);
  Geometry g{x.at.dtype, shape, Extents(shape.size(), 0), x.at.offset};
  if (dims.size() != x.at.shape.size())
    return call.raise("broadcast_in_dim: one dimension per input dimension");
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= g.rank()) return call.raise("broadcast_in_dim: no such dimension");
    const auto to = static_cast<std::size_t>(dims[i]);
    if (x.at.shape[i] != 1 && x.at.shape[i] != shape[to]) return call.raise("broadcast_in_dim: sizes differ");
    if (x.at.shape[i] == shape[to]) g.stride[to] = x.at.stride[i];
  }
  call.alias(x, g);
}

void run_unsqueeze(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const auto dim = call.wrap_dim(call.integer(1, 0), x.at.rank() + 1);
  if (!call.ok()) return;
  Geometry g = x.at;
  std::int64_t stride = 1;
  const auto at = static_cast<std::size_t>(dim);
  if (at < g.shape.size() && !view_times(call, g.shape[at], g.stride[at], stride)) return;
  g.shape.insert(g.shape.begin() + dim, 1);
  g.stride.insert(g.stride.begin() + dim, stride);
  call.alias(x, g);
}

/// variant 0: all dimensions, 1: the given ones.
void run_squeeze(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  std::vector<bool> drop(x.at.shape.size(), row.variant == 0);
  if (row.variant == 1)
    for (std::int64_t dim : call.integers(1)) {
      const auto at = static_cast<std::size_t>(call.wrap_dim(dim, x.at.rank()));
      if (at < drop.size()) drop[at] = true;
    }
  Geometry g{x.at.dtype, {}, {}, x.at.offset};
  for (std::size_t i = 0; i < drop.size(); ++i) {
    if (drop[i] && x.at.shape[i] == 1) continue;
    g.shape.push_back(x.at.shape[i]);
    g.stride.push_back(x.at.stride[i]);
  }
  if (call.ok()) call.alias(x, g);
}

void run_diagonal(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const auto g = diagonal_geometry(call, x.at, call.integer(1, 0), call.integer(2, 0), call.integer(3, 1));
  if (g) call.alias(x, *g);
}

void run_unfold(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const auto dim = static_cast<std::size_t>(call.dim(1, 0, x.at.rank()));
  const std::int64_t size = call.integer(2, 1), step = call.integer(3, 1);
  Geometry g = x.at;
  const std::int64_t extent = g.shape.empty() ? 1 : g.shape[dim];
  if (!call.ok()) return;
  if (size < 0 || size > extent || step <= 0) return call.raise("unfold: size or step out of range");
  g.shape.push_back(size);
  g.stride.push_back(x.at.shape.empty() ? 1 : x.at.stride[dim]);
  if (!x.at.shape.empty()) {
    g.shape[dim] = (extent - size) / step + 1;
    if (!view_times(call, x.at.stride[dim], step, g.stride[dim])) return;
  }
  call.alias(x, g);
}

void run_as_strided(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  Geometry g{x.at.dtype, call.integers(1), call.integers(2), call.integer(3, x.at.offset)};
  if (g.shape.size() != g.stride.size())
    return call.raise("as_strided: mismatch in length of strides and shape");
  for (std::size_t i = 0; i < g.shape.size(); ++i)
    if (g.shape[i] < 0 || g.stride[i] < 0) return call.raise("as_strided: negative sizes or strides");
  if (g.offset < 0) return call.raise("as_strided: a negative storage offset");
  call.alias(x, g);
}

void run_same_view(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  if (call.ok()) call.alias(x, x.at);
}

/// Splits dimension `dim` into parts of these sizes.
void split_into(Call& call, const Array& x, std::int64_t dim, const Extents& sizes) {
  if (x.at.shape.empty()) return call.raise("split expects at least a 1-dimensional tensor");
  std::int64_t start = 0;
  const std::int64_t extent = x.at.shape[static_cast<std::size_t>(dim)];
  for (std::int64_t size : sizes) {
    if (size < 0 || size > extent - start) return call.raise("split sizes do not add up to the dimension");
    Geometry g = x.at;
    g.shape[static_cast<std::size_t>(dim)] = size;
    shift_offset(call, g, start, g.stride[static_cast<std::size_t>(dim)]);
    if (call.ok()) call.alias(x, g);
    start += size;
  }
  if (start != extent) call.raise("split sizes do not add up to the dimension");
}

/// Slices from one index to the next. The indices need not be sorted.
void split_before(Call& call, const Array& x, std::int64_t dim, Extents indices) {
  indices.push_back(x.at.shape[static_cast<std::size_t>(dim)]);
  std::int64_t start = 0;
  for (const std::int64_t end : indices) {
    const auto g = slice_geometry(call, x.at, dim, Datum::of(start), Datum::of(end), 1);
    if (!g) return;
    call.alias(x, *g);
    start = end;
  }
}

/// variant 0: split.Tensor, 1: sizes given, 2: chunk, 3: tensor_split by sections, 4: by indices.
void run_split(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const std::int64_t dim = call.dim(2, 0, x.at.rank());
  if (!call.ok() || x.at.shape.empty()) return call.raise("split expects at least a 1-dimensional tensor");
  const std::int64_t extent = x.at.shape[static_cast<std::size_t>(dim)];
  Extents sizes;
  if (row.variant == 4) return split_before(call, x, dim, call.integers(1));
  if (row.variant == 1) {
    sizes = call.integers(1);
  } else {
    std::int64_t each = call.integer(1, 1);
    if (each < 0 || (each == 0 && (row.variant != 0 || extent != 0)))
      return call.raise("split: not a size to split by");
    if (!call.spend({row.variant == 3 ? each : extent + 1})) return;
    const std::int64_t sections = each;
    if (row.variant == 2) each = extent / sections + (extent % sections != 0 ? 1 : 0);
    for (std::int64_t i = 0; row.variant == 3 && i < sections; ++i)
      sizes.push_back(extent / sections + (i < extent % sections ? 1 : 0));
    for (std::int64_t left = extent; row.variant != 3 && left > 0; left -= each)
      sizes.push_back(std::min(each, left));
    if (extent == 0 && row.variant == 0) sizes = {0};
    if (extent == 0 && row.variant == 2)
      sizes.assign(static_cast<std::size_t>(std::min<std::int64_t>(sections, 4096)), 0);
  }
  split_into(call, x, dim, sizes);
}

void run_unbind(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const std::int64_t dim = call.dim(1, 0, x.at.rank());
  if (!call.ok() || x.at.shape.empty()) return call.raise("unbind: a tensor without dimensions");
  const std::int64_t count = x.at.shape[static_cast<std::size_t>(dim)];
  if (!call.spend({count})) return;
  for (std::int64_t i = 0; i < count; ++i)
    if (const auto g = select_geometry(call, x.at, dim, i)) call.alias(x, *g);
}

const KernelRow kViewRows[] = {
    {"numpy_T.default", run_reversed},
    {"numpy_T.a", run_reversed},
    {"select.int", run_select},
    {"slice.Tensor", run_slice},
    {"narrow.default", run_narrow},
    {"permute.default", run_permute},
    {"transpose.int", run_transpose},
    {"swapaxes.default", run_transpose},
    {"t.default", run_transpose, nullptr, Promotion::same, 1, 1},
    {"movedim.int", run_movedim},
    {"movedim.intlist", run_movedim},
    {"expand.default", run_expand},
    {"expand_as.default", run_expand, nullptr, Promotion::same, 1, 1},
    {"broadcast_in_dim.default", run_broadcast_in_dim},
    {"unsqueeze.default", run_unsqueeze},
    {"squeeze.default", run_squeeze},
    {"squeeze.dim", run_squeeze, nullptr, Promotion::same, 1, 1},
    {"squeeze.dims", run_squeeze, nullptr, Promotion::same, 1, 1},
    {"prims_squeeze.default", run_squeeze, nullptr, Promotion::same, 1, 1},
    {"diagonal.default", run_diagonal},
    {"unfold.default", run_unfold},
    {"as_strided.default", run_as_strided},
    {"alias.default", run_same_view},
    {"split.Tensor", run_split},
    {"split_with_sizes.default", run_split, nullptr, Promotion::same, 1, 1},
    {"split.sizes", run_split, nullptr, Promotion::same, 1, 1},
    {"chunk.default", run_split, nullptr, Promotion::same, 1, 2},
    {"tensor_split.sections", run_split, nullptr, Promotion::same, 1, 3},
    {"tensor_split.indices", run_split, nullptr, Promotion::same, 1, 4},
    {"unbind.int", run_unbind},
};

}  // namespace

std::optional<Geometry> slice_geometry(Call& call, const Geometry& g, std::int64_t dim, const Datum& start,
                                       const Datum& end, std::int64_t step) {
  if (!call.ok()) return std::nullopt;
  if (g.shape.empty() || step <= 0) {
    call.raise(g.shape.empty() ? "slice() cannot be applied to a 0-dim tensor."
                               : "slice step must be positive");
    return std::nullopt;
  }
  const auto at = static_cast<std::size_t>(dim);
  const std::int64_t size = g.shape[at];
  auto bound = [&](const Datum& d, std::int64_t fallback) {
    const auto n = d.number();
    const std::int64_t v = n ? convert(*n, Dtype::i64).integer : fallback;
    return std::clamp<std::int64_t>(v < 0 ? std::max(v, -size) + size : v, 0, size);
  };
  const std::int64_t first = bound(start, 0), last = std::max(bound(end, size), first);
  Geometry result = g;
  result.shape[at] = last == first ? 0 : (last - first - 1) / step + 1;
  shift_offset(call, result, first, g.stride[at]);
  if (__builtin_mul_overflow(g.stride[at], step, &result.stride[at]))
    call.raise("a slice's stride overflows");
  return call.ok() ? std::optional(result) : std::nullopt;
}

std::optional<Geometry> select_geometry(Call& call, const Geometry& g, std::int64_t dim, std::int64_t index) {
  if (!call.ok()) return std::nullopt;
  const auto at = static_cast<std::size_t>(dim);
  if (g.shape.empty() || index < -g.shape[at] || index >= g.shape[at]) {
    call.raise("select(): index " + std::to_string(index) + " out of range");
    return std::nullopt;
  }
  Geometry result = g;
  shift_offset(call, result, index < 0 ? index + g.shape[at] : index, g.stride[at]);
  result.shape.erase(result.shape.begin() + dim);
  result.stride.erase(result.stride.begin() + dim);
  return call.ok() ? std::optional(result) : std::nullopt;
}

std::optional<Geometry> expanded_geometry(Call& call, const Geometry& from, const Extents& shape) {
  Geometry g{from.dtype, shape, Extents(shape.size(), 0), from.offset};
  const std::size_t skip = shape.size() - std::min(shape.size(), from.shape.size());
  if (shape.size() < from.shape.size()) call.raise("expand: fewer sizes than dimensions");
  for (std::size_t i = shape.size(); i-- > 0 && call.ok();) {
    const std::int64_t size = i < skip ? 1 : from.shape[i - skip];
    if (shape[i] == -1 && i >= skip) g.shape[i] = size;
    if (g.shape[i] < 0) call.raise("expand: a negative size");
    if (g.shape[i] != size && size != 1) call.raise("expand: the expanded size must match the existing size");
    const bool kept = i >= skip && g.shape[i] == size;
    if (kept) g.stride[i] = from.stride[i - skip];
    if (i < skip)
      g.stride[i] = g.shape[i] == 1 ? (i + 1 < shape.size() ? g.shape[i + 1] * g.stride[i + 1] : 1) : 0;
  }
  return call.ok() ? std::optional(g) : std::nullopt;
}

std::optional<Geometry> diagonal_geometry(Call& call, const Geometry& g, std::int64_t offset,
                                          std::int64_t dim1, std::int64_t dim2) {
  const std::int64_t a = call.wrap_dim(dim1, g.rank()), b = call.wrap_dim(dim2, g.rank());
  if (call.ok() && (a == b || g.rank() < 2)) call.raise("diagonal dimensions cannot be identical");
  if (!call.ok()) return std::nullopt;
  const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
  const std::int64_t limit = std::int64_t{1} << 62;
  const std::int64_t shift = std::clamp(offset, -limit, limit);
  const std::int64_t size = std::max<std::int64_t>(
      shift >= 0 ? std::min(g.shape[i], g.shape[j] - shift) : std::min(g.shape[i] + shift, g.shape[j]), 0);
  Geometry result = g;
  if (size > 0) shift_offset(call, result, shift < 0 ? -shift : shift, shift < 0 ? g.stride[i] : g.stride[j]);
  for (std::size_t dim : {std::max(i, j), std::min(i, j)}) {
    result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(dim));
    result.stride.erase(result.stride.begin() + static_cast<std::ptrdiff_t>(dim));
  }
  std::int64_t stride = 0;
  if (__builtin_add_overflow(g.stride[i], g.stride[j], &stride)) call.raise("a diagonal's stride overflows");
  result.shape.push_back(size);
  result.stride.push_back(stride);
  return call.ok() ? std::optional(result) : std::nullopt;
}

std::span<const KernelRow> view_kernels() { return kViewRows; }

}  // namespace noclobber
