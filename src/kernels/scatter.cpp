// Stores at computed positions: index_put, scatter, index_add and their like; masked stores.
#include <algorithm>
#include <set>

#include "src/kernels/dense.h"
#include "src/kernels/index.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

/// The result as a copy of args[0], or the target if that is args[0] already.
Array updated(Call& call, bool contiguous) {
  const Array self = call.tensor(0);
  if (!call.ok()) return self;
  return call.output_copy(self, contiguous ? contiguous_strides(self.at.shape) : preserved_strides(self.at));
}

void add_into(Call& call, const Array& out, std::int64_t at, const Number& by) {
  const Number sum = add_numbers(call.load(out, at), convert(by, out.at.dtype));
  call.store(out, at, sum);
}

void run_index_put(Call& call, const KernelRow&) {
  const Array out = updated(call, false), values = call.tensor(2);
  const bool accumulate = call.boolean(3, false);
  const auto plan = IndexPlan::make(call, out, call.arg(1));
  if (!plan || !call.ok()) return;
  // One value for all elements of a mask is a fill, which converts.
  const std::vector<Datum>& indices = call.arg(1).list;
  const bool masked = indices.size() == 1 && indices[0].kind == Datum::Kind::tensor &&
                      indices[0].tensor.at.dtype == Dtype::boolean;
  const bool fills = !accumulate && values.at.numel() == 1 && masked;
  if (values.at.dtype != out.at.dtype && !fills)
    return call.raise("Index put requires the source and destination dtypes match");
  const auto shape = broadcast_shapes(plan->shape(), values.at.shape);
  if (!shape || *shape != plan->shape())
    return call.raise("shape mismatch: value tensor cannot be broadcast to indexing result");
  const auto count = element_count(*shape);
  if (!count || !call.spend({*count})) return;
  const Elements from(values.at, *shape);
  for (std::int64_t i = 0; i < *count && call.ok(); ++i) {
    const std::int64_t k = call.backwards ? *count - 1 - i : i;
    call.begin();
    const std::int64_t to = plan->position(call, k);
    if (!call.ok()) return;
    if (accumulate)
      add_into(call, out, to, call.load(values, from.at(k)));
    else
      call.move(values, from.at(k), out, to);
  }
}

Extents scatter_coordinates(std::int64_t k, const Extents& shape) {
  Extents at(shape.size(), 0);
  for (std::size_t i = shape.size(); i-- > 0;) {
    at[i] = k % shape[i];
    k /= shape[i];
  }
  return at;
}

std::int64_t scatter_position(const Geometry& g, const Extents& at) {
  std::int64_t position = g.offset;
  for (std::size_t i = 0; i < at.size() && i < g.stride.size(); ++i) position += at[i] * g.stride[i];
  return position;
}

enum Reduction { kSet, kAdd, kProd, kMax, kMin };

std::optional<Reduction> reduction_named(std::string_view name) {
  if (name == "sum" || name == "add") return kAdd;
  if (name == "prod" || name == "multiply") return kProd;
  if (name == "amax") return kMax;
  if (name == "amin") return kMin;
  return std::nullopt;
}

Number reduced(Reduction how, const Number& old, const Number& by) {
  switch (how) {
    case kSet:
      return by;
    case kAdd:
      return add_numbers(old, by);
    case kProd:
      return mul_numbers(old, by);
    case kMax:
      return less_number(old, by) ? by : old;
    case kMin:
      return less_number(by, old) && !is_nan(old) ? by : (is_nan(by) ? by : old);
  }
  return by;
}

bool fits_scatter(Call& call, const Array& self, const Array& index, const Array* src, std::size_t dim) {
  if (index.at.numel() == 0) return true;
  const std::size_t rank = std::max<std::size_t>(self.at.shape.size(), 1);
  bool fits = std::max<std::size_t>(index.at.shape.size(), 1) == rank;
  for (std::size_t i = 0; fits && i < index.at.shape.size(); ++i) {
    if (i != dim && i < self.at.shape.size()) fits = index.at.shape[i] <= self.at.shape[i];
    if (src) fits = fits && i < src->at.shape.size() && index.at.shape[i] <= src->at.shape[i];
  }
  if (!fits) call.raise("Expected index to be smaller than self and src apart from the scattered dimension");
  return fits;
}

/// Stores src (a tensor, or the number args[3]) at the indices along `dim`.
void scatter_into(Call& call, const Array& out, Reduction how, bool include_self) {
  const Array index = call.tensor(2);
  const bool whole = call.arg(3).kind == Datum::Kind::tensor;
  const Array src = whole ? call.tensor(3) : Array{};
  const Number constant = whole ? Number{} : convert(call.number(3, 0), out.at.dtype);
  const auto dim = static_cast<std::size_t>(call.dim(1, 0, out.at.rank()));
  if (call.ok() && whole && src.at.dtype != out.at.dtype)
    call.raise("scatter(): Expected self.dtype to be equal to src.dtype");
  if (!call.ok() || !fits_scatter(call, out, index, whole ? &src : nullptr, dim)) return;
  const std::int64_t count = index.at.numel(), size = out.at.shape.empty() ? 1 : out.at.shape[dim];
  if (!call.spend({count})) return;
  std::set<std::int64_t> hit;  // the first value at a position replaces that of self
  for (std::int64_t i = 0; i < count && call.ok(); ++i) {
    const std::int64_t k = call.backwards ? count - 1 - i : i;
    Extents at = scatter_coordinates(k, index.at.shape);
    call.begin();
    const std::int64_t from = scatter_position(src.at, at);
    const std::int64_t chosen = read_index(call, index, scatter_position(index.at, at), size, false);
    if (dim < at.size()) at[dim] = chosen;
    const std::int64_t to = scatter_position(out.at, at);
    const Number value = whole && call.ok() ? call.load(src, from) : constant;
    const bool sets = how == kSet || (!include_self && hit.insert(to).second);
    if (call.ok()) call.store(out, to, sets ? value : reduced(how, call.load(out, to), value));
  }
}

/// variant: a Reduction.
void run_scatter(Call& call, const KernelRow& row) {
  const Array out = updated(call, true);
  if (call.ok()) scatter_into(call, out, static_cast<Reduction>(row.variant), true);
}

void run_scatter_reduce(Call& call, const KernelRow& row) {
  const auto how = reduction_named(call.text(4));
  if (!how) return call.decline("this reduction of scatter");
  const Array out = updated(call, true);
  if (call.ok()) scatter_into(call, out, *how, row.variant == 0 || call.boolean(5, true));
}

/// The variants of run_index_store.
enum IndexStore { kIndexAdd, kIndexCopy, kIndexFill };

void run_index_store(Call& call, const KernelRow& row) {
  const Array out = updated(call, row.variant != kIndexFill), index = call.tensor(2);
  const auto dim = static_cast<std::size_t>(call.dim(1, 0, out.at.rank()));
  const bool fills = row.variant == kIndexFill;
  const Array source = fills ? Array{} : call.tensor(3);
  const Number filler = fills ? call.number(3, 0) : Number{}, alpha = fills ? Number{} : call.number(4, 1);
  if (call.ok() && index.at.rank() > 1) call.raise("Index should have dimension 1 or 0");
  if (!call.ok()) return;
  Extents shape = out.at.shape;
  if (!shape.empty()) shape[dim] = index.at.numel();
  if (!fills && (source.at.numel() != *element_count(shape) || source.at.dtype != out.at.dtype))
    return call.raise("index_add, index_copy: source does not fit self and index");
  if (!fills && source.at.shape.size() == shape.size() && source.at.shape != shape)
    return call.raise("index_add, index_copy: source and destination slices have different shapes");
  const std::int64_t count =
      shape.empty() ? std::min<std::int64_t>(index.at.numel(), 1) : *element_count(shape);
  if (out.at.numel() == 0 || !call.spend({count})) return;
  const Elements numbers(index.at), from(source.at);
  for (std::int64_t i = 0; i < count && call.ok(); ++i) {
    const std::int64_t k = call.backwards ? count - 1 - i : i;
    Extents at = scatter_coordinates(k, shape);
    call.begin();
    const std::int64_t size = shape.empty() ? 1 : out.at.shape[dim];
    const std::int64_t chosen =
        read_index(call, index, numbers.at(at.empty() ? 0 : at[dim]), size, row.variant == kIndexFill);
    if (!at.empty()) at[dim] = chosen;
    if (!call.ok()) return;
    const std::int64_t to = scatter_position(out.at, at);
    if (fills)
      call.store(out, to, filler);
    else if (row.variant == kIndexCopy)
      call.move(source, from.at(k), out, to);
    else
      add_into(call, out, to, mul_numbers(convert(alpha, out.at.dtype), call.load(source, from.at(k))));
  }
}

void run_masked_fill(Call& call, const KernelRow&) {
  const Array self = call.tensor(0), mask = call.tensor(1);
  const auto shape = broadcast_shapes(self.at.shape, mask.at.shape);
  if (call.ok() && !shape) call.raise("masked_fill: the mask does not broadcast");
  if (call.ok() && mask.at.dtype != Dtype::boolean) call.raise("masked_fill only supports boolean masks");
  if (call.ok() && call.arg(2).kind == Datum::Kind::tensor && !call.tensor(2).at.shape.empty())
    call.raise("masked_fill only supports a value tensor without dimensions");
  if (!call.ok()) return;
  Array from = self;
  from.at.shape = *shape;
  from.at.stride.insert(from.at.stride.begin(), shape->size() - self.at.stride.size(), 0);
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const std::size_t skip = shape->size() - self.at.shape.size();
    if (i >= skip && self.at.shape[i - skip] == 1 && (*shape)[i] != 1) from.at.stride[i] = 0;
  }
  const Array out = call.output(self.at.dtype, *shape, contiguous_strides(*shape));
  const bool shown = shares_memory(out, from) && out.at == from.at;
  const std::int64_t count = out.at.numel();
  const Number filler = call.number(2, 0);
  if (!call.spend({count})) return;
  const Elements to(out.at), test(mask.at, *shape), kept(from.at);
  for (std::int64_t i = 0; i < count && call.ok(); ++i) {
    const std::int64_t k = call.backwards ? count - 1 - i : i;
    call.begin();
    if (call.load(mask, test.at(k)).truthy())
      call.store(out, to.at(k), filler);
    else if (!shown)
      call.move(from, kept.at(k), out, to.at(k));
  }
}

void run_masked_scatter(Call& call, const KernelRow&) {
  const Array self = call.tensor(0), mask = call.tensor(1), source = call.tensor(2);
  const auto shape = broadcast_shapes(self.at.shape, mask.at.shape);
  if (call.ok() && !shape) call.raise("masked_scatter: the mask does not broadcast");
  if (!call.ok()) return;
  const bool grows = *shape != self.at.shape;
  if (grows && !call.targets.empty()) return call.raise("masked_scatter_: the mask is larger than self");
  const Array out = grows ? call.output(self.at.dtype, *shape) : updated(call, true);
  if (grows && call.ok()) copy_elements(call, self, out);
  if (!call.ok()) return;
  const std::int64_t count = out.at.numel();
  if (!call.spend({count})) return;
  const Elements to(out.at), test(mask.at, *shape), from(source.at);
  std::int64_t next = 0;
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    if (!call.load(mask, test.at(k)).truthy()) continue;
    if (next >= source.at.numel())
      return call.raise("masked_scatter: expected source to have as many elements as true masks");
    call.move(source, from.at(next++), out, to.at(k));
  }
}

const KernelRow kScatterRows[] = {
    kernel_row("index_put.default", run_index_put),
    kernel_row("index_put.hacked_twin", run_index_put),
    kernel_row("scatter.src", run_scatter, kSet),
    kernel_row("scatter.value", run_scatter, kSet),
    kernel_row("scatter_add.default", run_scatter, kAdd),
    kernel_row("scatter.reduce", run_scatter_reduce, 0),
    kernel_row("scatter.value_reduce", run_scatter_reduce, 0),
    kernel_row("scatter_reduce.two", run_scatter_reduce, 1),
    kernel_row("index_add.default", run_index_store, kIndexAdd),
    kernel_row("index_copy.default", run_index_store, kIndexCopy),
    kernel_row("index_fill.int_Scalar", run_index_store, kIndexFill),
    kernel_row("index_fill.int_Tensor", run_index_store, kIndexFill),
    kernel_row("masked_fill.Scalar", run_masked_fill),
    kernel_row("masked_fill.Tensor", run_masked_fill),
    kernel_row("masked_scatter.default", run_masked_scatter),
};

}  // namespace

std::span<const KernelRow> scatter_kernels() { return kScatterRows; }

}  // namespace noclobber
