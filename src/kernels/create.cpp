// Fresh tensors, and stores to whole tensors: fill, zero, copy.
#include <algorithm>
#include <cmath>

#include "src/kernels/kernels.h"
#include "src/ops/complex_text.h"

namespace noclobber {
namespace {

constexpr std::size_t kNowhere = 99;
enum class Filling : std::uint8_t { garbage, zero, one, value };

/// The positions of the arguments of a creating operator; kNowhere: it has no such argument.
struct CreateArguments {
  Filling filling = Filling::zero;
  std::size_t like = kNowhere, size = kNowhere, stride = kNowhere, layout = kNowhere, value = kNowhere;
  std::size_t dtype = kNowhere, format = kNowhere;
};

constexpr CreateArguments kCreate[] = {
    /*0 zeros*/ {.filling = Filling::zero, .size = 0, .dtype = 1},
    /*1 ones*/ {.filling = Filling::one, .size = 0, .dtype = 1},
    /*2 full*/ {.filling = Filling::value, .size = 0, .value = 1, .dtype = 2},
    /*3 empty*/ {.filling = Filling::garbage, .size = 0, .dtype = 1, .format = 5},
    /*4 zeros_like*/ {.filling = Filling::zero, .like = 0, .dtype = 1, .format = 5},
    /*5 ones_like*/ {.filling = Filling::one, .like = 0, .dtype = 1, .format = 5},
    /*6 full_like*/ {.filling = Filling::value, .like = 0, .value = 1, .dtype = 2, .format = 6},
    /*7 empty_like*/ {.filling = Filling::garbage, .like = 0, .dtype = 1, .format = 5},
    /*8 new_zeros*/ {.filling = Filling::zero, .like = 0, .size = 1, .dtype = 2},
    /*9 new_ones*/ {.filling = Filling::one, .like = 0, .size = 1, .dtype = 2},
    /*10 new_full*/ {.filling = Filling::value, .like = 0, .size = 1, .value = 2, .dtype = 3},
    /*11 new_empty*/ {.filling = Filling::garbage, .like = 0, .size = 1, .dtype = 2},
    /*12 empty_strided*/ {.filling = Filling::garbage, .size = 0, .stride = 1, .dtype = 2},
    /*13 new_empty_strided*/ {.filling = Filling::garbage, .like = 0, .size = 1, .stride = 2, .dtype = 3},
    /*14 empty_permuted*/ {.filling = Filling::garbage, .size = 0, .layout = 1, .dtype = 2},
};

Extents permuted_strides(Call& call, const Extents& shape, const Extents& layout) {
  Extents strides(shape.size(), 1);
  std::int64_t next = 1;
  if (layout.size() != shape.size()) call.raise("the physical layout needs one entry per dimension");
  for (std::size_t i = layout.size(); i-- > 0 && call.ok();) {
    const auto dim =
        static_cast<std::size_t>(call.wrap_dim(layout[i], static_cast<std::int64_t>(shape.size())));
    if (dim >= shape.size()) break;
    strides[dim] = next;
    if (__builtin_mul_overflow(next, std::max<std::int64_t>(shape[dim], 1), &next))
      call.raise("sizes overflow");
  }
  return strides;
}

Extents created_strides(Call& call, const CreateArguments& where, const Extents& shape) {
  if (where.stride != kNowhere) return call.integers(where.stride);
  if (where.layout != kNowhere) return permuted_strides(call, shape, call.integers(where.layout));
  const std::string_view format = call.text(where.format);
  if (format.ends_with("channels_last") && shape.size() == 4) return channels_last_strides(shape);
  if (format.ends_with("channels_last_3d") && shape.size() == 5) return channels_last_strides(shape);
  const bool keeps = where.size == kNowhere && !format.ends_with("contiguous_format");
  return keeps ? preserved_strides(call.tensor(where.like).at) : contiguous_strides(shape);
}

Dtype value_dtype(const Datum& d) {
  if (d.kind == Datum::Kind::boolean) return Dtype::boolean;
  return d.kind == Datum::Kind::integer ? Dtype::i64 : Dtype::f32;
}

/// The value that is stored everywhere. A complex one, which is given as text, needs a complex dtype.
Number filling(Call& call, std::size_t at, Dtype dtype) {
  const Datum& given = call.arg(at);
  const auto number =
      given.kind == Datum::Kind::text && is_complex(dtype) ? complex_of_text(given.text) : std::nullopt;
  return number ? Number::of_complex(*number) : call.number(at, 0);
}

void run_create(Call& call, const KernelRow& row) {
  const CreateArguments& where = kCreate[row.variant];
  const bool like = where.like != kNowhere;
  if (where.size != kNowhere && call.arg(where.size).kind == Datum::Kind::boolean)
    return call.decline("a truth value as size");
  const Extents shape = where.size != kNowhere ? call.integers(where.size) : call.tensor(where.like).at.shape;
  Dtype dtype = like ? call.tensor(where.like).at.dtype : Dtype::f32;
  if (!like && where.filling == Filling::value) dtype = value_dtype(call.arg(where.value));
  dtype = call.dtype(where.dtype, dtype);
  if (!call.targets.empty()) dtype = call.targets[0].at.dtype;
  for (std::int64_t size : shape)
    if (size < 0)
      return call.raise("Trying to create tensor with negative dimension " + std::to_string(size));
  const Extents stride = created_strides(call, where, shape);
  if (call.ok() && stride.size() != shape.size()) call.raise("mismatch in length of strides and shape");
  if (!call.ok()) return;
  const Number filled = where.filling == Filling::value ? filling(call, where.value, dtype)
                                                        : Number::of(where.filling == Filling::one ? 1 : 0);
  const Array out = call.output(dtype, shape, stride);
  call.begin();
  if (!call.ok()) return;
  if (where.filling != Filling::garbage)
    fill_elements(call, out, filled);
  else if (!call.targets.empty())
    copy_elements(call, call.scratch(dtype, shape, stride), out);
}

void run_scalar_tensor(Call& call, const KernelRow&) {
  const Array out =
      call.output(call.targets.empty() ? call.dtype(1, Dtype::f32) : call.targets[0].at.dtype, {});
  call.begin();
  const Number v = filling(call, 0, out.at.dtype);
  if (call.ok()) call.store(out, out.at.offset, v);
}

void fill_range(Call& call, const Array& out, const Number& start, const Number& step) {
  const std::int64_t count = out.at.numel();
  if (!call.spend({count})) return;
  const Elements to(out.at);
  const bool whole = start.kind == Number::Kind::integer && step.kind == Number::Kind::integer;
  call.begin();
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    const auto u = static_cast<std::uint64_t>(start.integer) +
                   static_cast<std::uint64_t>(step.integer) * static_cast<std::uint64_t>(k);
    const double r = start.as_real() + step.as_real() * static_cast<double>(k);
    call.store(out, to.at(k), whole ? Number::of(static_cast<std::int64_t>(u)) : Number::of_real(r));
  }
}

/// variant: how many numbers come before the options (1: end; 2: start, end; 3: start, end, step).
void run_arange(Call& call, const KernelRow& row) {
  const auto given = static_cast<std::size_t>(row.variant);
  const Number start = given > 1 ? call.number(0, 0) : Number::of(0), end = call.number(given > 1 ? 1 : 0, 0);
  const Number step = given > 2 ? call.number(2, 1) : Number::of(1);
  bool whole = true;
  for (const Number* n : {&start, &end, &step}) whole = whole && n->kind == Number::Kind::integer;
  const double by = step.as_real(), span = end.as_real() - start.as_real();
  if (!call.ok() || by == 0 || !std::isfinite(span) || !std::isfinite(by))
    return call.raise("step must be nonzero");
  if (span * by < 0) return call.raise("upper bound and lower bound inconsistent with step sign");
  const double size = std::ceil(span / by);
  if (size > 1e15) return call.raise("arange is too long");
  const Dtype dtype =
      call.targets.empty() ? call.dtype(given, whole ? Dtype::i64 : Dtype::f32) : call.targets[0].at.dtype;
  const Array out = call.output(dtype, {static_cast<std::int64_t>(size)});
  if (call.ok()) fill_range(call, out, start, step);
}

void run_iota(Call& call, const KernelRow&) {
  const std::int64_t length = call.integer(0, 0);
  if (length < 0) return call.raise("iota: a negative length");
  const Array out = call.output(call.dtype(3, Dtype::i64), {length});
  if (call.ok()) fill_range(call, out, Number::of(call.integer(1, 0)), Number::of(call.integer(2, 1)));
}

void run_fill(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const bool by_tensor = row.variant == 1 && call.arg(1).kind == Datum::Kind::tensor;
  if (by_tensor && call.tensor(1).at.rank() != 0)
    return call.raise("fill_ only takes a tensor without dimensions as its value");
  if (!call.ok()) return;
  const Array out = call.output(x.at.dtype, x.at.shape, preserved_strides(x.at));
  call.begin();
  const Number filled = row.variant == 1 ? filling(call, 1, x.at.dtype) : Number::of(0);
  if (call.ok()) fill_elements(call, out, filled);
}

void run_copy(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  if (!call.ok()) return;
  const Array out = call.targets.empty() ? call.output_clone(x) : call.output(x.at.dtype, x.at.shape);
  if (call.arg(1).kind != Datum::Kind::tensor) {
    call.begin();
    const Number filled = call.number(1, 0);
    return call.ok() ? fill_elements(call, out, filled) : void();
  }
  if (call.ok()) copy_elements(call, call.tensor(1), out);
}

const KernelRow kCreateRows[] = {
    kernel_row("zeros.default", run_create, 0),
    kernel_row("ones.default", run_create, 1),
    kernel_row("full.default", run_create, 2),
    kernel_row("empty.memory_format", run_create, 3),
    kernel_row("empty.default", run_create, 3),
    kernel_row("zeros_like.default", run_create, 4),
    kernel_row("ones_like.default", run_create, 5),
    kernel_row("full_like.default", run_create, 6),
    kernel_row("empty_like.default", run_create, 7),
    kernel_row("new_zeros.default", run_create, 8),
    kernel_row("new_ones.default", run_create, 9),
    kernel_row("new_full.default", run_create, 10),
    kernel_row("new_empty.default", run_create, 11),
    kernel_row("empty_strided.default", run_create, 12),
    kernel_row("new_empty_strided.default", run_create, 13),
    kernel_row("empty_permuted.default", run_create, 14),
    kernel_row("scalar_tensor.default", run_scalar_tensor),
    kernel_row("arange.default", run_arange, 1),
    kernel_row("arange.start", run_arange, 2),
    kernel_row("arange.start_step", run_arange, 3),
    kernel_row("iota.default", run_iota),
    kernel_row("fill.Scalar", run_fill, 1),
    kernel_row("fill.Tensor", run_fill, 1),
    kernel_row("fill.default", run_fill, 1),
    kernel_row("zero.default", run_fill, 0),
    kernel_row("copy.default", run_copy),
};

}  // namespace

std::span<const KernelRow> create_kernels() { return kCreateRows; }

}  // namespace noclobber
