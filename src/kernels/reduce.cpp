// Reductions and scans along dimensions. Sums of floats are computed in double precision and rounded once.
#include <algorithm>

#include "src/kernels/axes.h"
#include "src/ops/number_math.h"

namespace noclobber {

std::optional<Axes> axes_of(Call& call, const Geometry& g, const Extents& dims, bool keep) {
  std::vector<bool> reduces(g.shape.size(), dims.empty());
  for (const std::int64_t dim : dims) {
    const auto at = static_cast<std::size_t>(call.wrap_dim(dim, g.rank()));
    if (!call.ok()) return std::nullopt;
    if (at >= reduces.size()) continue;
    if (reduces[at]) call.raise("a dimension appears multiple times in the list of dims");
    reduces[at] = true;
  }
  Axes axes;
  axes.kept = {g.dtype, {}, {}, g.offset};
  axes.reduced = {g.dtype, {}, {}, 0};
  for (std::size_t i = 0; i < reduces.size(); ++i) {
    Geometry& part = reduces[i] ? axes.reduced : axes.kept;
    part.shape.push_back(g.shape[i]);
    part.stride.push_back(g.stride[i]);
    if (!reduces[i])
      axes.shape.push_back(g.shape[i]);
    else if (keep)
      axes.shape.push_back(1);
  }
  axes.reduced_shape = axes.reduced.shape;
  return call.ok() ? std::optional(axes) : std::nullopt;
}

namespace {

/// Axes without a reduced dimension.
std::optional<Axes> each_element(const Geometry& g) { return Axes{g, {g.dtype, {}, {}, 0}, g.shape, {}}; }

enum class Fold : std::uint8_t { sum, mean, prod, largest, smallest, any, all };

Dtype folded_dtype(Call& call, Fold fold, Dtype input, Dtype asked) {
  if (asked != Dtype::other) return asked;
  const bool counts = fold == Fold::sum || fold == Fold::prod;
  if (counts && (input == Dtype::boolean || is_integer(input))) return Dtype::i64;
  if (fold == Fold::any || fold == Fold::all) return input == Dtype::u8 ? Dtype::u8 : Dtype::boolean;
  if (fold == Fold::mean && !is_floating(input) && !is_complex(input))
    call.raise("mean(): could not infer output dtype");
  return input;
}

/// The neutral element of a fold; for a mean, that of its sum.
Number fold_start(Fold fold) { return Number::of(fold == Fold::prod || fold == Fold::all ? 1 : 0); }

Number fold_step(Fold fold, const Number& sum, const Number& x, bool first) {
  switch (fold) {
    case Fold::sum:
    case Fold::mean:
      return add_numbers(sum, x);
    case Fold::prod:
      return mul_numbers(sum, x);
    case Fold::largest:
      return first || (less_number(sum, x) && !is_nan(sum)) ? x : sum;
    case Fold::smallest:
      return first || is_nan(x) || (less_number(x, sum) && !is_nan(sum)) ? x : sum;
    case Fold::any:
      return Number::of(sum.truthy() || x.truthy() ? 1 : 0);
    case Fold::all:
      return Number::of(sum.truthy() && x.truthy() ? 1 : 0);
  }
  return sum;
}

Number fold_end(Fold fold, const Number& sum, std::int64_t count) {
  if (fold != Fold::mean) return sum;
  if (sum.kind == Number::Kind::complex)
    return Number::of_complex(sum.as_complex() / static_cast<double>(count));
  return Number::of_real(sum.as_real() / static_cast<double>(count));
}

void folded(Call& call, const Array& x, Fold fold, const Axes& axes, Dtype dtype) {
  const bool counts = fold == Fold::any || fold == Fold::all;
  const std::int64_t outer = axes.kept.numel(), inner = axes.reduced.numel();
  if (inner == 0 && (fold == Fold::largest || fold == Fold::smallest) && outer != 0)
    return call.raise("a reduction over nothing that has no identity");
  const Array out = call.output(dtype, axes.shape);
  if (!call.ok() || !call.spend({outer, std::max<std::int64_t>(inner, 1)})) return;
  const Elements kept(axes.kept), reduced(axes.reduced), to(out.at);
  for (std::int64_t i = 0; i < outer && call.ok(); ++i) {
    call.begin();
    Number sum = fold_start(fold);
    if (is_floating(dtype) && !counts) sum = Number::of_real(sum.as_real());
    if (is_complex(dtype) && !counts) sum = Number::of_complex(sum.as_real());
    for (std::int64_t j = 0; j < inner; ++j) {
      const Number loaded = call.load(x, kept.at(i) + reduced.at(j));
      const bool narrows = !call.targets.empty() && call.targets[0].at.dtype == Dtype::u8;
      const Number counted = narrows ? convert(loaded, Dtype::u8) : loaded;
      sum = fold_step(fold, sum, counts ? counted : convert(loaded, dtype), j == 0);
    }
    call.store(out, to.at(i), fold_end(fold, sum, inner));
  }
}

/// The positions of dim, keepdim and dtype in a reduction's arguments; kNone: it has no such argument.
struct FoldArguments {
  Fold fold;
  std::size_t dims, keep, dtype;
};
constexpr std::size_t kNone = 99;
constexpr FoldArguments kFolds[] = {
    {Fold::sum, kNone, kNone, 1},
    {Fold::sum, 1, 2, 3},  // 0, 1
    {Fold::mean, kNone, kNone, 1},
    {Fold::mean, 1, 2, 3},  // 2, 3
    {Fold::prod, kNone, kNone, 1},
    {Fold::prod, 1, 2, 3},  // 4, 5
    {Fold::largest, 1, 2, kNone},
    {Fold::smallest, 1, 2, kNone},  // 6, 7
    {Fold::any, 1, 2, kNone},
    {Fold::all, 1, 2, kNone},  // 8, 9
    {Fold::largest, kNone, kNone, kNone},
    {Fold::smallest, kNone, kNone, kNone},  // 10, 11
    {Fold::sum, 1, kNone, 2},
    {Fold::prod, 1, kNone, 2},  // 12, 13
    {Fold::largest, 1, kNone, 2},
    {Fold::smallest, 1, kNone, 2},  // 14, 15
};

void run_fold(Call& call, const KernelRow& row) {
  const FoldArguments& where = kFolds[row.variant];
  const Array x = call.tensor(0);
  const Extents dims = where.dims == kNone ? Extents{} : call.integers(where.dims);
  const bool keep = where.keep != kNone && call.boolean(where.keep, false);
  const bool none = row.op.ends_with(".dims") && call.arg(1).kind == Datum::Kind::list && dims.empty();
  const auto axes = none ? each_element(x.at) : axes_of(call, x.at, dims, keep);
  if (!axes) return;
  // Without a dtype argument the computation is in the type of out=.
  const Dtype fallback = call.targets.empty() ? Dtype::other : call.targets[0].at.dtype;
  const Dtype asked = where.dtype == kNone ? Dtype::other : call.dtype(where.dtype, fallback);
  const bool truth = where.fold == Fold::any || where.fold == Fold::all;
  const Dtype wanted = truth && (fallback == Dtype::boolean || fallback == Dtype::u8) ? fallback : asked;
  const Dtype dtype = folded_dtype(call, where.fold, x.at.dtype, wanted);
  if (call.ok()) folded(call, x, where.fold, *axes, dtype);
}

/// The mean by Welford's algorithm. It agrees with PyTorch where infinities cancel.
std::complex<double> running_mean(Call& call, const Array& x, std::int64_t base, const Elements& along,
                                  std::int64_t count) {
  double mean = 0;
  for (std::int64_t j = 0; j < count; ++j)
    mean += (call.load(x, base + along.at(j)).as_real() - mean) / static_cast<double>(j + 1);
  return mean;
}

/// Turns (self, unbiased) and (self, dim, unbiased, keepdim) into (self, dim, correction, keepdim).
void with_correction(Call& call, bool unbiased_first) {
  if (unbiased_first) call.args.insert(call.args.begin() + 1, Datum{});
  call.args.resize(4);
  call.args[2] = Datum::of(std::int64_t{call.boolean(2, true) ? 1 : 0});
}

/// variant bit 0: also returns the mean; bit 1: takes the square root.
void run_var(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  if (!row.op.ends_with(".correction")) with_correction(call, row.op.ends_with(".default"));
  const double correction = call.real(2, 1);
  const auto axes = axes_of(call, x.at, call.integers(1), call.boolean(3, false));
  if (call.ok() && !is_floating(x.at.dtype) && !is_complex(x.at.dtype))
    return call.raise("var is not implemented for this dtype");
  if (!axes) return;
  const Dtype real = x.at.dtype == Dtype::c64    ? Dtype::f32
                     : x.at.dtype == Dtype::c128 ? Dtype::f64
                                                 : x.at.dtype;
  const Array out = call.output(real, axes->shape);
  const bool both = (row.variant & 1) != 0, root = (row.variant & 2) != 0;
  const Array means = both ? call.output(x.at.dtype, axes->shape) : Array{};
  const std::int64_t outer = axes->kept.numel(), inner = axes->reduced.numel();
  if (!call.ok() || !call.spend({outer, std::max<std::int64_t>(inner, 1), 2})) return;
  const Elements kept(axes->kept), reduced(axes->reduced), to(out.at), mean_to(both ? means.at : out.at);
  for (std::int64_t i = 0; i < outer && call.ok(); ++i) {
    call.begin();
    std::complex<double> sum = 0;
    double squares = 0;
    for (std::int64_t j = 0; j < inner; ++j) sum += call.load(x, kept.at(i) + reduced.at(j)).as_complex();
    std::complex<double> mean = sum / static_cast<double>(inner);
    if (!std::isfinite(sum.real())) mean = running_mean(call, x, kept.at(i), reduced, inner);
    for (std::int64_t j = 0; j < inner; ++j)
      squares += std::norm(call.load(x, kept.at(i) + reduced.at(j)).as_complex() - mean);
    const double var = squares / std::max(static_cast<double>(inner) - correction, 0.0);
    call.store(out, to.at(i), Number::of_real(root ? std::sqrt(var) : var));
    if (both) call.store(means, mean_to.at(i), Number::of_complex(mean));
  }
}

void run_logsumexp(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const auto axes = axes_of(call, x.at, call.integers(1), call.boolean(2, false));
  if (!axes) return;
  const bool whole = !is_floating(x.at.dtype) && !is_complex(x.at.dtype);
  const Array out = call.output(whole ? Dtype::f32 : x.at.dtype, axes->shape);
  const std::int64_t outer = axes->kept.numel(), inner = axes->reduced.numel();
  if (!call.ok() || !call.spend({outer, std::max<std::int64_t>(inner, 1), 2})) return;
  const Elements kept(axes->kept), reduced(axes->reduced), to(out.at);
  for (std::int64_t i = 0; i < outer && call.ok(); ++i) {
    call.begin();
    double most = -std::numeric_limits<double>::infinity();
    std::complex<double> sum = 0;
    for (std::int64_t j = 0; j < inner; ++j)
      most = std::fmax(most, call.load(x, kept.at(i) + reduced.at(j)).as_real());
    const double base = std::isinf(most) ? 0 : most;
    for (std::int64_t j = 0; j < inner; ++j) {
      const Number n = call.load(x, kept.at(i) + reduced.at(j));
      sum += n.kind == Number::Kind::complex ? std::exp(n.as_complex() - base) : std::exp(n.as_real() - base);
    }
    call.store(out, to.at(i),
               is_complex(x.at.dtype) ? Number::of_complex(std::log(sum) + base)
                                      : Number::of_real(std::log(sum.real()) + base));
  }
}

/// variant 0: cumsum, 1: cumprod.
void run_scan_along(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const bool whole = x.at.dtype == Dtype::boolean || is_integer(x.at.dtype);
  const Dtype plain = whole ? Dtype::i64 : x.at.dtype;
  const Dtype dtype = call.dtype(2, call.targets.empty() ? plain : call.targets[0].at.dtype);
  const std::int64_t dim = call.dim(1, 0, x.at.rank());
  const auto axes = axes_of(call, x.at, {dim}, true);
  if (!axes) return;
  const Array out = call.output(dtype, x.at.shape);
  const auto to = axes_of(call, out.at, {dim}, true);
  const std::int64_t outer = axes->kept.numel(), inner = axes->reduced.numel();
  if (!call.ok() || !to || !call.spend({outer, std::max<std::int64_t>(inner, 1)})) return;
  const Elements kept(axes->kept), along(axes->reduced), out_kept(to->kept), out_along(to->reduced);
  for (std::int64_t i = 0; i < outer && call.ok(); ++i) {
    call.begin();
    Number sum = convert(Number::of(row.variant), is_floating(dtype) ? Dtype::f64 : dtype);
    for (std::int64_t j = 0; j < inner; ++j) {
      const Number value = convert(call.load(x, kept.at(i) + along.at(j)), dtype);
      sum = row.variant == 0 ? add_numbers(sum, value) : mul_numbers(sum, value);
      call.store(out, out_kept.at(i) + out_along.at(j), sum);
    }
  }
}

const KernelRow kReduceRows[] = {
    kernel_row("sum.default", run_fold, 0),
    kernel_row("sum.dim_IntList", run_fold, 1),
    kernel_row("mean.default", run_fold, 2),
    kernel_row("mean.dim", run_fold, 3),
    kernel_row("prod.default", run_fold, 4),
    kernel_row("prod.dim_int", run_fold, 5),
    kernel_row("amax.default", run_fold, 6),
    kernel_row("amin.default", run_fold, 7),
    kernel_row("any.default", run_fold, 8),
    kernel_row("any.dim", run_fold, 8),
    kernel_row("any.dims", run_fold, 8),
    kernel_row("all.default", run_fold, 9),
    kernel_row("all.dim", run_fold, 9),
    kernel_row("all.dims", run_fold, 9),
    kernel_row("max.default", run_fold, 10),
    kernel_row("min.default", run_fold, 11),
    kernel_row("prims_sum.default", run_fold, 12),
    kernel_row("prims_prod.default", run_fold, 13),
    kernel_row("prims_amax.default", run_fold, 14),
    kernel_row("prims_amin.default", run_fold, 15),
    kernel_row("var.correction", run_var, 0),
    kernel_row("var_mean.correction", run_var, 1),
    kernel_row("std.correction", run_var, 2),
    kernel_row("std_mean.correction", run_var, 3),
    kernel_row("var.default", run_var, 0),
    kernel_row("var.dim", run_var, 0),
    kernel_row("var_mean.default", run_var, 1),
    kernel_row("var_mean.dim", run_var, 1),
    kernel_row("std.default", run_var, 2),
    kernel_row("std.dim", run_var, 2),
    kernel_row("std_mean.default", run_var, 3),
    kernel_row("std_mean.dim", run_var, 3),
    kernel_row("logsumexp.default", run_logsumexp, 0),
    kernel_row("cumsum.default", run_scan_along, 0),
    kernel_row("cumprod.default", run_scan_along, 1),
};

}  // namespace

std::span<const KernelRow> reduce_kernels() { return kReduceRows; }

}  // namespace noclobber
