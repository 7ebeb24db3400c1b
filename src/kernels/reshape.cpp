// Operators that share storage or copy, depending on strides and dtype; views that change the dtype.
#include <algorithm>

#include "src/kernels/kernels.h"

namespace noclobber {
namespace {

bool format_is(std::string_view text, std::string_view format) {
  return text == format || (text.size() > format.size() && text.ends_with(format) &&
                            text[text.size() - format.size() - 1] == '.');
}

/// The strides of a fresh tensor like `g` in the memory format of argument `at`; preserve_format if it is
/// absent.
Extents format_strides(Call& call, const Geometry& g, std::size_t at, bool preserve) {
  const std::string_view text = call.text(at);
  if (text.empty() ? preserve : format_is(text, "preserve_format")) return preserved_strides(g);
  if (format_is(text, "channels_last") || format_is(text, "channels_last_3d")) {
    const std::size_t rank = format_is(text, "channels_last") ? 4 : 5;
    if (g.shape.size() != rank)
      call.raise("required rank " + std::to_string(rank) + " tensor to use channels_last");
    return channels_last_strides(g.shape);
  }
  return contiguous_strides(g.shape);
}

void copied(Call& call, const Array& x, Dtype dtype, const Extents& shape, const Extents& stride) {
  Array from = x;
  if (shape != x.at.shape) {  // same elements in row-major order: go through a dense copy
    if (const auto strides = reshaped_strides(x.at, shape)) {
      from.at.shape = shape;
      from.at.stride = *strides;
    } else {
      from = call.scratch(x.at.dtype, x.at.shape, contiguous_strides(x.at.shape));
      if (call.ok()) copy_elements(call, x, from);
      from.at.shape = shape;
      from.at.stride = contiguous_strides(shape);
    }
  }
  if (!call.ok()) return;
  const Array out = call.output(dtype, shape, stride);
  if (call.ok()) copy_elements(call, from, out);
}

enum Sharing { kShareOrRaise, kShareOrCopy, kCopy };

void reshaped(Call& call, const Array& x, const Extents& wanted, int sharing) {
  const auto shape = inferred_shape(call, wanted, x.at.numel());
  if (!call.ok() || !shape) return;
  const auto strides = reshaped_strides(x.at, *shape);
  if (strides && sharing != kCopy) return call.alias(x, {x.at.dtype, *shape, *strides, x.at.offset});
  if (sharing == kShareOrRaise)
    return call.raise("view size is not compatible with input tensor's size and stride");
  copied(call, x, x.at.dtype, *shape, contiguous_strides(*shape));
}

void run_reshape(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const Extents wanted =
      call.arg(1).kind == Datum::Kind::tensor ? call.arg(1).tensor.at.shape : call.integers(1);
  if (call.ok()) reshaped(call, x, wanted, row.variant);
}

void run_flatten(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const std::int64_t first = call.dim(1, 0, x.at.rank()), last = call.dim(2, -1, x.at.rank());
  if (call.ok() && first > last)
    call.raise("flatten() has invalid args: start_dim cannot come after end_dim");
  if (!call.ok()) return;
  if (x.at.shape.empty()) return reshaped(call, x, {1}, kShareOrCopy);
  if (first == last) return call.alias(x, x.at);
  Extents shape(x.at.shape.begin(), x.at.shape.begin() + first);
  std::int64_t merged = 1;
  for (std::int64_t i = first; i <= last; ++i) merged *= x.at.shape[static_cast<std::size_t>(i)];
  shape.push_back(merged);
  shape.insert(shape.end(), x.at.shape.begin() + last + 1, x.at.shape.end());
  reshaped(call, x, shape, kShareOrCopy);
}

void run_unflatten(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const std::int64_t dim = call.dim(1, 0, x.at.rank());
  if (call.ok() && x.at.shape.empty()) call.raise("unflatten of a tensor without dimensions");
  if (!call.ok()) return;
  const auto inner = inferred_shape(call, call.integers(2), x.at.shape[static_cast<std::size_t>(dim)]);
  if (!inner) return;
  Extents shape = x.at.shape;
  shape.erase(shape.begin() + dim);
  shape.insert(shape.begin() + dim, inner->begin(), inner->end());
  reshaped(call, x, shape, kShareOrRaise);
}

void run_split_dim(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const std::int64_t dim = call.dim(1, 0, x.at.rank()), outer = call.integer(2, 1);
  if (!call.ok() || x.at.shape.empty()) return call.raise("split_dim of a tensor without dimensions");
  const std::int64_t size = x.at.shape[static_cast<std::size_t>(dim)];
  if (outer <= 0 || size % outer != 0)
    return call.raise("split_dim: the length does not divide the dimension");
  Extents shape = x.at.shape;
  shape[static_cast<std::size_t>(dim)] = size / outer;
  shape.insert(shape.begin() + dim, outer);
  reshaped(call, x, shape, kShareOrRaise);
}

void run_collapse(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const std::int64_t first = call.dim(1, 0, x.at.rank()), last = call.dim(2, 0, x.at.rank());
  if (!call.ok() || x.at.shape.empty()) return reshaped(call, x, {1}, row.variant);
  if (first > last) return call.raise("collapse: the dimensions are not in order");
  Extents shape(x.at.shape.begin(), x.at.shape.begin() + first);
  std::int64_t merged = 1;
  for (std::int64_t i = first; i <= last; ++i) merged *= x.at.shape[static_cast<std::size_t>(i)];
  shape.push_back(merged);
  shape.insert(shape.end(), x.at.shape.begin() + last + 1, x.at.shape.end());
  reshaped(call, x, shape, row.variant);
}

void run_contiguous(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const Extents stride = format_strides(call, x.at, 1, false);
  if (!call.ok()) return;
  const bool last = format_is(call.text(1), "channels_last") || format_is(call.text(1), "channels_last_3d");
  if (last ? is_channels_last(x.at) : is_contiguous(x.at)) return call.alias(x, x.at);
  copied(call, x, x.at.dtype, x.at.shape, stride);
}

void run_clone(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const Extents stride = format_strides(call, x.at, 1, true);
  if (call.ok()) copied(call, x, x.at.dtype, x.at.shape, stride);
}

/// device_put(a, device): a device that the graph still states is a different one.
void run_device_put(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  if (!call.ok()) return;
  if (!call.has(1)) return call.alias(x, x.at);
  copied(call, x, x.at.dtype, x.at.shape, preserved_strides(x.at));
}

/// lift_fresh_copy (variant 1): has no memory format, and the copy is contiguous.
void run_plain_clone(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  if (call.ok())
    copied(call, x, x.at.dtype, x.at.shape,
           row.variant == 1 ? contiguous_strides(x.at.shape) : preserved_strides(x.at));
}

/// The positions of the arguments of the overloads of `to`. A device that the graph still states is a
/// different one.
struct ToArguments {
  std::size_t dtype, device, copy, format;
};

constexpr std::size_t kAbsent = 100;
constexpr ToArguments kToArguments[] = {
    {1, kAbsent, kAbsent, 6 + 1},  // unused
    {1, kAbsent, 3, 4},            // to.dtype(self, dtype, non_blocking, copy, memory_format)
    {2, 1, 4, 5},                  // to.device(self, device, dtype, non_blocking, copy, memory_format)
    {1, 3, 6, 7},  // to.dtype_layout(self, *, dtype, layout, device, pin, non_blocking, copy, ...)
    {kAbsent, kAbsent, 3, 4},  // to.other(self, other, non_blocking, copy, memory_format)
};

void run_to(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const ToArguments& where = kToArguments[row.variant];
  Dtype dtype = call.dtype(where.dtype, x.at.dtype);
  if (row.variant == 4) dtype = call.tensor(1).at.dtype;
  const Extents stride = format_strides(call, x.at, where.format, true);
  if (!call.ok()) return;
  const bool format = call.has(where.format) && !format_is(call.text(where.format), "preserve_format");
  const bool fits = !format || stride == x.at.stride ||
                    (is_contiguous(x.at) && format_is(call.text(where.format), "contiguous_format"));
  if (dtype == x.at.dtype && fits && !call.boolean(where.copy, false) && !call.has(where.device))
    return call.alias(x, x.at);
  copied(call, x, dtype, x.at.shape, stride);
}

void run_to_copy(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const Extents stride = format_strides(call, x.at, 6, true);
  const Dtype wanted = call.targets.empty() ? call.dtype(1, x.at.dtype) : call.targets[0].at.dtype;
  if (call.ok()) copied(call, x, wanted, x.at.shape, stride);
}

/// Always a copy, with the strides that a pointwise operator gives.
void run_convert_element_type(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  if (call.ok()) copied(call, x, call.dtype(1, x.at.dtype), x.at.shape, preserved_strides(x.at));
}

/// variant 0: type_as, 1: dequantize of a tensor that is not quantized.
void run_type_as(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const Dtype dtype = row.variant == 0 ? call.tensor(1).at.dtype : Dtype::f32;
  if (!call.ok()) return;
  if (dtype == x.at.dtype) return call.alias(x, x.at);
  copied(call, x, dtype, x.at.shape, preserved_strides(x.at));
}

void narrower_view(Call& call, const Array& x, Geometry g, std::int64_t ratio) {
  if (!g.stride.empty() && g.stride.back() != 1)
    return call.raise("self.stride(-1) must be 1 to view as a smaller dtype");
  if (g.shape.empty()) return call.raise("self.dim() cannot be 0 to view as a different element size");
  bool bad = __builtin_mul_overflow(g.offset, ratio, &g.offset) ||
             __builtin_mul_overflow(g.shape.back(), ratio, &g.shape.back());
  for (std::size_t i = 0; i + 1 < g.stride.size(); ++i)
    bad = bad || __builtin_mul_overflow(g.stride[i], ratio, &g.stride[i]);
  if (bad) return call.raise("a dtype view's sizes overflow");
  call.alias(x, g);
}

void wider_view(Call& call, const Array& x, Geometry g, std::int64_t ratio) {
  if (g.shape.empty()) return call.raise("self.dim() cannot be 0 to view as a different element size");
  if (g.stride.back() != 1) return call.raise("self.stride(-1) must be 1 to view as a larger dtype");
  bool bad = g.shape.back() % ratio != 0 || g.offset % ratio != 0;
  g.shape.back() /= ratio;
  g.offset /= ratio;
  for (std::size_t i = 0; i + 1 < g.stride.size(); ++i) {
    bad = bad || g.stride[i] % ratio != 0;
    g.stride[i] /= ratio;
  }
  if (bad) return call.raise("sizes, strides or offset are not divisible to view as a larger dtype");
  call.alias(x, g);
}

void run_view_dtype(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const Dtype dtype = call.dtype(1, x.at.dtype);
  const std::int64_t from = item_bytes(x.at.dtype), to = item_bytes(dtype);
  if (!call.ok() || from == 0 || to == 0) return call.decline("a dtype without a known width");
  const int narrow = std::min(bit_width(x.at.dtype), bit_width(dtype));
  if (narrow < 8 && bit_width(x.at.dtype) != bit_width(dtype)) return call.decline("4-bit elements in bytes");
  Geometry g = x.at;
  g.dtype = dtype;
  if (from == to) return call.alias(x, g);
  if (from > to) return narrower_view(call, x, g, from / to);
  wider_view(call, x, g, to / from);
}

/// variant 0: view_as_real, 1: real, 2: imag.
void run_real_view(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  if (!call.ok()) return;
  if (!is_complex(x.at.dtype)) {
    if (row.variant == 1) return call.alias(x, x.at);
    return call.raise("only defined for complex tensors");
  }
  if (x.at.conjugated && row.variant == 0) return call.raise("view_as_real of a conjugated tensor");
  if (x.at.conjugated && row.variant == 2) return call.decline("a view of negated numbers");
  Geometry g = x.at;
  g.dtype = x.at.dtype == Dtype::c64 ? Dtype::f32 : Dtype::f64;
  bool bad = __builtin_mul_overflow(g.offset, 2, &g.offset);
  for (std::int64_t& stride : g.stride) bad = bad || __builtin_mul_overflow(stride, 2, &stride);
  if (bad) return call.raise("a view's strides overflow");
  if (row.variant == 2) g.offset += 1;
  if (row.variant == 0) {
    g.shape.push_back(2);
    g.stride.push_back(1);
  }
  call.alias(x, g);
}

/// A view of the conjugates.
void run_conj(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  call.alias(x, x.at);
  if (call.ok() && is_complex(x.at.dtype)) call.results[0].tensor.at.conjugated = !x.at.conjugated;
}

Number conjugated_number(const Number* x, const Extras&) { return conjugate(x[0]); }

/// Returns its argument if that is not complex.
void run_conj_physical(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  if (!call.ok()) return;
  if (call.targets.empty() && !is_complex(x.at.dtype)) return call.alias(x, x.at);
  run_pointwise(call, row);
}

void run_view_as_complex(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  Geometry g = x.at;
  if (!call.ok() || g.shape.empty() || g.shape.back() != 2 || g.stride.back() != 1 || g.offset % 2 != 0)
    return call.raise("view_as_complex needs a last dimension of size 2 and stride 1");
  if (g.dtype != Dtype::f32 && g.dtype != Dtype::f64) return call.raise("view_as_complex of this dtype");
  g.dtype = g.dtype == Dtype::f32 ? Dtype::c64 : Dtype::c128;
  g.shape.pop_back();
  g.stride.pop_back();
  g.offset /= 2;
  for (std::int64_t& stride : g.stride) {
    if (stride % 2 != 0) return call.raise("view_as_complex needs even strides");
    stride /= 2;
  }
  call.alias(x, g);
}

const KernelRow kReshapeRows[] = {
    kernel_row("view.default", run_reshape, kShareOrRaise),
    kernel_row("reshape.default", run_reshape, kShareOrCopy),
    kernel_row("view_copy.default", run_reshape, kCopy),
    kernel_row("flatten.using_ints", run_flatten),
    kernel_row("unflatten.int", run_unflatten),
    kernel_row("split_dim.default", run_split_dim),
    kernel_row("collapse_view.default", run_collapse, kShareOrRaise),
    kernel_row("collapse.default", run_collapse, kCopy),
    kernel_row("contiguous.default", run_contiguous),
    kernel_row("clone.default", run_clone),
    kernel_row("lift_fresh_copy.default", run_plain_clone, 1),
    kernel_row("device_put.default", run_device_put),
    kernel_row("to.dtype", run_to, 1),
    kernel_row("to.device", run_to, 2),
    kernel_row("to.dtype_layout", run_to, 3),
    kernel_row("to.other", run_to, 4),
    kernel_row("_to_copy.default", run_to_copy),
    kernel_row("type_as.default", run_type_as),
    kernel_row("dequantize.self", run_type_as, 1),
    kernel_row("convert_element_type.default", run_convert_element_type),
    kernel_row("convert_element_type.no_fuse", run_convert_element_type),
    kernel_row("view.dtype", run_view_dtype),
    kernel_row("view_of_dtype.default", run_view_dtype),
    kernel_row("view_as_real.default", run_real_view),
    kernel_row("real.default", run_real_view, 1),
    kernel_row("imag.default", run_real_view, 2),
    kernel_row("view_as_complex.default", run_view_as_complex),
    kernel_row("conj.default", run_conj),
    {"conj_physical.default", run_conj_physical, conjugated_number, Promotion::same, 1, 5},
};

}  // namespace

std::optional<Extents> inferred_shape(Call& call, const Extents& shape, std::int64_t numel) {
  Extents result = shape;
  std::int64_t known = 1;
  std::optional<std::size_t> unknown;
  bool bad = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && !unknown)
      unknown = i;
    else
      bad = bad || shape[i] < 0 || __builtin_mul_overflow(known, shape[i], &known);
  }
  if (!bad && unknown) {
    bad = known == 0 || numel % known != 0;
    if (!bad) result[*unknown] = numel / known;
  }
  if (bad || (!unknown && known != numel)) {
    call.raise("shape is invalid for input of size " + std::to_string(numel));
    return std::nullopt;
  }
  return result;
}

std::span<const KernelRow> reshape_kernels() { return kReshapeRows; }

}  // namespace noclobber
