// Views whose shape depends on the argument's rank or on other arguments: matrix transposes, atleast_1d,
// hsplit, broadcast_tensors and their like.
#include <algorithm>

#include "src/kernels/kernels.h"

namespace noclobber {
namespace {

/// variant 0: mT, 1: adjoint, which conjugates complex numbers.
void run_matrix_transpose(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  Geometry g = x.at;
  if (g.rank() < 2) return call.raise("only matrices, or batches of matrices, are transposed");
  std::swap(g.shape[g.shape.size() - 2], g.shape.back());
  std::swap(g.stride[g.stride.size() - 2], g.stride.back());
  call.alias(x, g);
  if (call.ok() && row.variant == 1 && is_complex(x.at.dtype))
    call.results[0].tensor.at.conjugated = !x.at.conjugated;
}

/// variant: the least rank. New dimensions go in front, the third one of a vector or a matrix behind.
void run_at_least(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  Geometry g = x.at;
  const auto least = static_cast<std::size_t>(row.variant);
  const auto unit = [&](std::size_t at) {
    const bool last = at == g.shape.size();
    const std::int64_t stride = last ? 1 : g.shape[at] * g.stride[at];
    g.shape.insert(g.shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
    g.stride.insert(g.stride.begin() + static_cast<std::ptrdiff_t>(at), stride);
  };
  if (g.shape.empty() && least > 0) unit(0);
  if (g.shape.size() < 2 && least > 1) unit(0);
  if (g.shape.size() < 3 && least > 2) unit(g.shape.size());
  if (call.ok()) call.alias(x, g);
}

/// The argument as a vector; a copy unless it is contiguous.
void run_ravel(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  const Extents shape{x.at.numel()};
  if (!call.ok()) return;
  if (is_contiguous(x.at)) return call.alias(x, {x.at.dtype, shape, {1}, x.at.offset, x.at.conjugated});
  const Array out = call.output(x.at.dtype, shape);
  if (!call.ok()) return;
  Array whole = out;
  whole.at.shape = x.at.shape;
  whole.at.stride = contiguous_strides(x.at.shape);
  copy_elements(call, x, whole);
}

/// The positions at which a dimension of that extent is cut, by sections or by indices.
std::vector<std::int64_t> cuts_of(Call& call, std::int64_t extent) {
  std::vector<std::int64_t> ends;
  if (call.arg(1).kind == Datum::Kind::list) {
    for (const std::int64_t index : call.integers(1)) ends.push_back(index);
  } else {
    const std::int64_t sections = call.integer(1, 1);
    if (sections <= 0 || extent % sections != 0) {
      call.raise("the sections do not divide the dimension evenly");
      return {};
    }
    if (!call.spend({sections})) return {};
    for (std::int64_t k = 1; k < sections; ++k) ends.push_back(k * (extent / sections));
  }
  ends.push_back(extent);
  return ends;
}

/// variant: the dimension that vsplit, hsplit or dsplit cuts. hsplit cuts dimension 0 of a vector.
void run_split_along(Call& call, const KernelRow& row) {
  const Array x = call.tensor(0);
  const std::int64_t dim = row.variant == 1 && x.at.rank() == 1 ? 0 : row.variant;
  const std::int64_t least = row.variant == 0 ? 2 : dim + 1;
  if (x.at.rank() < least) return call.raise("a tensor of fewer dimensions than are split");
  std::int64_t start = 0;
  for (const std::int64_t end : cuts_of(call, x.at.shape[static_cast<std::size_t>(dim)])) {
    const auto g = slice_geometry(call, x.at, dim, Datum::of(start), Datum::of(end), 1);
    if (!g) return;
    call.alias(x, *g);
    start = end;
  }
}

void run_broadcast_tensors(Call& call, const KernelRow&) {
  const std::vector<Array> all = call.tensors(0);
  Extents shape;
  for (const Array& one : all) {
    const auto both = broadcast_shapes(shape, one.at.shape);
    if (!both) return call.raise("the shapes do not broadcast");
    shape = *both;
  }
  for (const Array& one : all)
    if (const auto g = expanded_geometry(call, one.at, shape)) call.alias(one, *g);
}

/// Output k is vector k, expanded along all dimensions but its own.
void run_meshgrid(Call& call, const KernelRow&) {
  const std::vector<Array> all = call.tensors(0);
  const bool exchanged = call.text(1) == "xy" && all.size() > 1;
  Extents shape;
  for (const Array& one : all) {
    if (one.at.rank() > 1) return call.raise("expected scalars or vectors");
    shape.push_back(one.at.numel());
  }
  if (exchanged) std::swap(shape[0], shape[1]);
  for (std::size_t k = 0; k < all.size() && call.ok(); ++k) {
    const std::size_t at = exchanged && k < 2 ? 1 - k : k;
    Extents own(shape.size(), 1);
    own[at] = shape[at];
    const auto stride = reshaped_strides(all[k].at, own);
    NC_CHECK(stride.has_value(), "a vector between dimensions of one is a view of it");
    Geometry placed = all[k].at;
    placed.shape = own;
    placed.stride = *stride;
    if (const auto g = expanded_geometry(call, placed, shape)) call.alias(all[k], *g);
  }
}

void run_resolve_conj(Call& call, const KernelRow&) {
  const Array x = call.tensor(0);
  if (!call.ok()) return;
  if (!x.at.conjugated) return call.alias(x, x.at);
  call.output_copy(x, preserved_strides(x.at));
}

const KernelRow kAdaptRows[] = {
    kernel_row("mT.default", run_matrix_transpose),
    kernel_row("mT.a", run_matrix_transpose),
    kernel_row("adjoint.default", run_matrix_transpose, 1),
    kernel_row("adjoint.a", run_matrix_transpose, 1),
    kernel_row("atleast_1d.default", run_at_least, 1),
    kernel_row("atleast_2d.default", run_at_least, 2),
    kernel_row("atleast_3d.default", run_at_least, 3),
    kernel_row("ravel.default", run_ravel),
    kernel_row("vsplit.int", run_split_along, 0),
    kernel_row("vsplit.array", run_split_along, 0),
    kernel_row("hsplit.int", run_split_along, 1),
    kernel_row("hsplit.array", run_split_along, 1),
    kernel_row("dsplit.int", run_split_along, 2),
    kernel_row("dsplit.array", run_split_along, 2),
    kernel_row("broadcast_tensors.default", run_broadcast_tensors),
    kernel_row("meshgrid.default", run_meshgrid),
    kernel_row("meshgrid.indexing", run_meshgrid),
    kernel_row("resolve_conj.default", run_resolve_conj),
};

}  // namespace

std::span<const KernelRow> adapt_kernels() { return kAdaptRows; }

}  // namespace noclobber
