// Operators that move elements without examining them.
#include <algorithm>
#include <utility>

#include "src/kernels/kernels.h"

namespace noclobber {
namespace {

/// Row-major coordinates of element k of `shape`.
Extents coordinates_of(std::int64_t k, const Extents& shape) {
  Extents at(shape.size(), 0);
  for (std::size_t i = shape.size(); i-- > 0;) {
    at[i] = k % shape[i];
    k /= shape[i];
  }
  return at;
}

std::int64_t position_of(const Geometry& g, const Extents& at) {
  std::int64_t position = g.offset;
  for (std::size_t i = 0; i < at.size(); ++i) position += at[i] * g.stride[i];
  return position;
}

bool skipped_by_cat(const Geometry& g) { return g.shape.size() == 1 && g.shape[0] == 0; }

Dtype common_dtype_of(const std::vector<Array>& parts) {
  std::vector<Promoted> inputs;
  for (const Array& a : parts)
    inputs.push_back(
        {a.at.shape.empty() ? Promoted::Rank::zero_dim : Promoted::Rank::dimensioned, a.at.dtype});
  return result_type(inputs);
}

void joined(Call& call, const std::vector<Array>& parts, std::int64_t dim, const Extents& stride,
            const Extents& shape) {
  const Array out = call.output(common_dtype_of(parts), shape, stride);
  Geometry window = out.at;
  for (const Array& part : parts) {
    if (!call.ok() || skipped_by_cat(part.at)) continue;
    const auto at = static_cast<std::size_t>(dim);
    window.shape = part.at.shape;
    copy_elements(call, part, Array{window, out.memory});
    window.offset += part.at.shape[at] * window.stride[at];
  }
}

void run_cat(Call& call, const KernelRow&) {
  const std::vector<Array> parts = call.tensors(0);
  if (call.ok() && parts.empty()) call.raise("torch.cat(): expected a non-empty list of Tensors");
  if (!call.ok()) return;
  const Array* first = nullptr;
  for (const Array& part : parts)
    if (!first && !skipped_by_cat(part.at)) first = &part;
  if (!first) return joined(call, parts, 0, {1}, {0});
  if (first->at.shape.empty()) return call.raise("zero-dimensional tensor cannot be concatenated");
  const auto at = static_cast<std::size_t>(call.dim(1, 0, first->at.rank()));
  Extents shape = first->at.shape;
  shape[at] = 0;
  bool last = true;
  for (const Array& part : parts) {
    last = last && prefers_channels_last(part.at);
    if (skipped_by_cat(part.at)) continue;
    Extents rest = part.at.shape;
    if (rest.size() == shape.size()) rest[at] = shape[at];
    if (rest != shape) return call.raise("Extents of tensors must match except in the dimension of cat");
    shape[at] += part.at.shape[at];
  }
  joined(call, parts, static_cast<std::int64_t>(at),
         last ? channels_last_strides(shape) : contiguous_strides(shape), shape);
}

/// A stack is cat with the new dimension split off; if that is the last one, cat along an additional
/// dimension.
Extents stacked_strides(const std::vector<Array>& parts, std::int64_t dim) {
  Extents shape = parts[0].at.shape;
  const auto at = static_cast<std::size_t>(dim);
  const bool splits = at < shape.size();
  bool last = true;
  for (const Array& part : parts) {
    Geometry g = part.at;
    if (!splits) {
      g.shape.push_back(1);
      g.stride.push_back(1);
    }
    last = last && prefers_channels_last(g);
  }
  const auto count = static_cast<std::int64_t>(parts.size());
  if (!last) {
    shape.insert(shape.begin() + dim, count);
    return contiguous_strides(shape);
  }
  const std::int64_t one = splits ? shape[at] : 0;
  if (splits)
    shape[at] *= count;
  else
    shape.push_back(count);
  Extents stride = channels_last_strides(shape);
  if (splits) stride.insert(stride.begin() + dim, one * stride[at]);
  return stride;
}

void run_stack(Call& call, const KernelRow&) {
  std::vector<Array> parts = call.tensors(0);
  if (call.ok() && parts.empty()) call.raise("stack expects a non-empty TensorList");
  if (!call.ok()) return;
  const std::int64_t dim = call.dim(1, 0, parts[0].at.rank() + 1);
  if (!call.ok()) return;
  Extents shape = parts[0].at.shape;
  for (const Array& part : parts)
    if (part.at.shape != shape) return call.raise("stack expects each tensor to be equal size");
  const Extents stride = stacked_strides(parts, dim);
  for (Array& part : parts) {
    part.at.shape.insert(part.at.shape.begin() + dim, 1);
    part.at.stride.insert(part.at.stride.begin() + dim, 0);
  }
  shape.insert(shape.begin() + dim, static_cast<std::int64_t>(parts.size()));
  joined(call, parts, dim, stride, shape);
}

/// Copies self, then copies `src` into the view of the copy that `make` returns.
template <class Make>
void scattered(Call& call, Make make) {
  const Array self = call.tensor(0), src = call.tensor(1);
  if (!call.ok()) return;
  const std::vector<Array> targets = std::exchange(call.targets, {});
  const Array out = call.output_clone(self);
  if (!call.ok()) return;
  const std::optional<Geometry> view = make(out.at);
  if (!call.ok() || !view) return;
  if (view->shape != src.at.shape)
    return call.raise("expected src to have a size equal to the slice of self");
  copy_elements(call, src, Array{*view, out.memory});
  if (targets.empty() || !call.ok()) return;
  call.targets = targets;  // out= gets the result of the functional form
  call.results.clear();
  const Array target = call.output(self.at.dtype, self.at.shape);
  if (call.ok()) copy_elements(call, out, target);
}

void run_slice_scatter(Call& call, const KernelRow&) {
  scattered(call, [&](const Geometry& g) {
    return slice_geometry(call, g, call.dim(2, 0, g.rank()), call.arg(3), call.arg(4), call.integer(5, 1));
  });
}

void run_select_scatter(Call& call, const KernelRow&) {
  scattered(call, [&](const Geometry& g) {
    return select_geometry(call, g, call.dim(2, 0, g.rank()), call.integer(3, 0));
  });
}

void run_diagonal_scatter(Call& call, const KernelRow&) {
  scattered(call, [&](const Geometry& g) {
    return diagonal_geometry(call, g, call.integer(2, 0), call.integer(3, 0), call.integer(4, 1));
  });
}

void run_as_strided_scatter(Call& call, const KernelRow&) {
  scattered(call, [&](const Geometry& g) -> std::optional<Geometry> {
    const Geometry view{g.dtype, call.integers(2), call.integers(3), call.integer(4, g.offset)};
    const auto end = reach(view);
    const bool fits = view.shape.size() == view.stride.size() && end &&
                      *end <= call.results[0].tensor.memory.size / item_bytes(g.dtype);
    if (fits) return view;
    call.raise("as_strided: out of bounds for the storage");
    return std::nullopt;
  });
}

/// The result's element at coordinates c is the input's element at `map(c)`.
template <class Map>
void gathered(Call& call, const Array& x, const Array& out, Map map) {
  const std::int64_t count = out.at.numel();
  if (!call.spend({count})) return;
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    const Extents at = coordinates_of(k, out.at.shape);
    call.move(x, position_of(x.at, map(at)), out, position_of(out.at, at));
  }
}

void run_flip(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  std::vector<bool> turned(x.at.shape.size(), false);
  for (std::int64_t dim : call.integers(1)) {
    const auto at = static_cast<std::size_t>(call.wrap_dim(dim, x.at.rank()));
    if (at >= turned.size()) continue;
    if (turned[at]) return call.raise("dim appears multiple times in the list of dims");
    turned[at] = true;
  }
  const Array out = call.output(x.at.dtype, x.at.shape, preserved_strides(x.at));
  if (!call.ok()) return;
  gathered(call, x, out, [&](Extents at) {
    for (std::size_t i = 0; i < at.size(); ++i)
      if (turned[i]) at[i] = x.at.shape[i] - 1 - at[i];
    return at;
  });
}

std::int64_t modulo(std::int64_t a, std::int64_t n) { return ((a % n) + n) % n; }

/// Each dimension is rolled by joining its two parts with cat, which keeps channels last if both parts prefer
/// it.
Extents rolled_strides(Call& call, const Geometry& g, const Extents& shifts, const Extents& dims) {
  if (dims.empty()) return contiguous_strides(g.shape);
  if (g.numel() == 0) return preserved_strides(g);
  Geometry at_last = g;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto at = static_cast<std::size_t>(call.wrap_dim(dims[i], g.rank()));
    if (!call.ok() || at >= g.shape.size()) break;
    Geometry first = at_last, rest = at_last;
    first.shape[at] = modulo(-modulo(shifts[i], g.shape[at]), g.shape[at]);
    rest.shape[at] -= first.shape[at];
    const bool last = prefers_channels_last(first) && prefers_channels_last(rest);
    at_last.stride = last ? channels_last_strides(g.shape) : contiguous_strides(g.shape);
  }
  return at_last.stride;
}

void run_roll(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const Extents shifts = call.integers(1), dims = call.integers(2);
  if (!call.ok()) return;
  const std::int64_t count = x.at.numel();
  if (dims.empty() ? shifts.size() != 1 : dims.size() != shifts.size())
    return call.raise("shifts and dimensions must align");
  const Array out = call.output(x.at.dtype, x.at.shape, rolled_strides(call, x.at, shifts, dims));
  if (!call.ok() || count == 0) return;
  if (dims.empty()) {
    if (!call.spend({count})) return;
    const Elements from(x.at), to(out.at);
    for (std::int64_t k = 0; k < count && call.ok(); ++k)
      call.move(x, from.at(modulo(k - modulo(shifts[0], count), count)), out, to.at(k));
    return;
  }
  Extents by(x.at.shape.size(), 0);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto at = static_cast<std::size_t>(call.wrap_dim(dims[i], x.at.rank()));
    if (at < by.size()) by[at] = modulo(by[at] + modulo(shifts[i], x.at.shape[at]), x.at.shape[at]);
  }
  if (!call.ok()) return;
  gathered(call, x, out, [&](Extents at) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = modulo(at[i] - by[i], x.at.shape[i]);
    return at;
  });
}

/// variant 1: tile, in which missing numbers of repeats are 1.
void run_repeat(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  Extents repeats = call.integers(1);
  while (row.variant == 1 && repeats.size() < x.at.shape.size()) repeats.insert(repeats.begin(), 1);
  if (repeats.size() < x.at.shape.size()) return call.raise("repeat needs at least one number per dimension");
  Array from = x;
  const std::size_t skip = repeats.size() - x.at.shape.size();
  from.at.shape.insert(from.at.shape.begin(), skip, 1);
  from.at.stride.insert(from.at.stride.begin(), skip, 0);
  Extents shape = from.at.shape;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (repeats[i] < 0 || __builtin_mul_overflow(shape[i], repeats[i], &shape[i]))
      return call.raise("Trying to create tensor with negative dimension");
  const Array out = call.output(x.at.dtype, shape);
  if (!call.ok()) return;
  gathered(call, from, out, [&](Extents at) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] %= from.at.shape[i];
    return at;
  });
}

/// variant 0: tril, 1: triu.
void run_triangle(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const std::int64_t diagonal =
      std::clamp<std::int64_t>(call.integer(1, 0), -(std::int64_t{1} << 40), std::int64_t{1} << 40);
  if (call.ok() && x.at.shape.size() < 2)
    call.raise("tril, triu: input tensor must have at least 2 dimensions");
  const Array out = call.output(x.at.dtype, x.at.shape);
  const std::int64_t count = out.at.numel();
  if (!call.spend({count})) return;
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    const Extents at = coordinates_of(k, x.at.shape);
    const std::int64_t gap = at[at.size() - 1] - at[at.size() - 2];
    const bool kept = row.variant == 0 ? gap <= diagonal : gap >= diagonal;
    call.begin();
    if (kept)
      call.move(x, position_of(x.at, at), out, position_of(out.at, at));
    else
      call.store(out, position_of(out.at, at), Number::of(0));
  }
}

void run_constant_pad(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const Extents pad = call.integers(1);
  const std::size_t rank = x.at.shape.size();
  if (pad.size() % 2 != 0 || pad.size() / 2 > rank)
    return call.raise("Length of pad must be even and at most twice the rank");
  Geometry from = x.at;
  bool grows = false;
  Extents shape = x.at.shape, shift(rank, 0);
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {  // negative padding cuts
    const std::size_t at = rank - 1 - i;
    const std::int64_t before = pad[2 * i], after = pad[2 * i + 1], limit = std::int64_t{1} << 40;
    if (std::max(before, after) > limit || std::min(before, after) < -limit)
      return call.raise("padding out of range");
    shape[at] += before + after;
    grows = grows || before > 0 || after > 0;
    if (shape[at] < 0) return call.raise("resulted in a negative output size");
    from.offset += std::max<std::int64_t>(-before, 0) * from.stride[at];
    from.shape[at] = std::max<std::int64_t>(
        from.shape[at] + std::min<std::int64_t>(before, 0) + std::min<std::int64_t>(after, 0), 0);
    shift[at] = std::max<std::int64_t>(before, 0);
  }
  const Number filler = call.number(2, 0);
  const Extents plain =
      prefers_channels_last(x.at) ? channels_last_strides(shape) : contiguous_strides(shape);
  const Array out = call.output(x.at.dtype, shape, grows ? plain : preserved_strides(from));
  if (!call.ok()) return;
  call.begin();
  fill_elements(call, out, filler);
  Geometry window{out.at.dtype, from.shape, out.at.stride, out.at.offset};
  for (std::size_t i = 0; i < rank; ++i) window.offset += shift[i] * window.stride[i];
  copy_elements(call, Array{from, x.memory}, Array{window, out.memory});
}

/// Repeats each element, along a dimension or of the flattened tensor.
void run_interleave(Call& call, const KernelRow&) {
  Array x = call.tensor(0);
  const std::int64_t times = call.integer(1, 1);
  const bool flat = !call.has(2);
  if (times < 0) call.raise("repeats can not be negative");
  const Extents shape = x.at.shape;
  Extents wide = flat ? Extents{x.at.numel()} : shape;
  const std::int64_t dim = flat ? 0 : call.dim(2, 0, x.at.rank());
  if (!call.ok() || wide.empty()) return call.raise("repeat_interleave of a tensor without dimensions");
  std::int64_t& extent = wide[static_cast<std::size_t>(dim)];
  if (__builtin_mul_overflow(extent, times, &extent)) return call.raise("sizes overflow");
  const Array out = call.output(x.at.dtype, wide);
  if (!call.ok()) return;
  gathered(call, x, out, [&](Extents at) {
    at[static_cast<std::size_t>(dim)] /= times;
    return flat ? coordinates_of(at[0], shape) : at;
  });
}

const KernelRow kMoveRows[] = {
    kernel_row("cat.default", run_cat),
    kernel_row("stack.default", run_stack),
    kernel_row("slice_scatter.default", run_slice_scatter),
    kernel_row("select_scatter.default", run_select_scatter),
    kernel_row("diagonal_scatter.default", run_diagonal_scatter),
    kernel_row("as_strided_scatter.default", run_as_strided_scatter),
    kernel_row("flip.default", run_flip),
    kernel_row("roll.default", run_roll),
    kernel_row("repeat.default", run_repeat),
    kernel_row("tile.default", run_repeat, 1),
    kernel_row("repeat_interleave.self_int", run_interleave),
    kernel_row("tril.default", run_triangle, 0),
    kernel_row("triu.default", run_triangle, 1),
    kernel_row("constant_pad_nd.default", run_constant_pad),
};

}  // namespace

std::span<const KernelRow> move_kernels() { return kMoveRows; }

}  // namespace noclobber
