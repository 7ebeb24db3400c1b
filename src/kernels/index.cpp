// index, gather, index_select, embedding, masks.
#include "src/kernels/index.h"

#include <algorithm>

namespace noclobber {
namespace {

/// Index tensors of the true elements of a mask, one per dimension.
std::vector<Array> mask_indices(Call& call, const Array& mask) {
  std::vector<Extents> found;
  const std::int64_t count = mask.at.numel();
  if (!call.spend({count})) return {};
  const Elements at(mask.at);
  call.begin();
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    if (!call.load(mask, at.at(k)).truthy()) continue;
    Extents coordinates(mask.at.shape.size(), 0);
    std::int64_t rest = k;
    for (std::size_t i = coordinates.size(); i-- > 0;) {
      coordinates[i] = rest % mask.at.shape[i];
      rest /= mask.at.shape[i];
    }
    found.push_back(std::move(coordinates));
  }
  std::vector<Array> result;
  for (std::size_t i = 0; i < mask.at.shape.size(); ++i) {
    Array index = call.scratch(Dtype::i64, {static_cast<std::int64_t>(found.size())}, {1});
    for (std::size_t j = 0; j < found.size() && call.ok(); ++j)
      call.store(index, static_cast<std::int64_t>(j), Number::of(found[j][i]));
    result.push_back(std::move(index));
  }
  return result;
}

bool is_mask(const Array& a) { return a.at.dtype == Dtype::boolean || a.at.dtype == Dtype::u8; }

void run_index(Call& call, const KernelRow&) {
  const Array self = call.tensor(0);
  const auto plan = IndexPlan::make(call, self, call.arg(1));
  if (!plan || !call.ok()) return;
  const Array out = call.output(self.at.dtype, plan->shape(), plan->strides());
  const std::int64_t count = out.at.numel();
  if (!call.spend({count})) return;
  const Elements to(out.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    const std::int64_t from = plan->position(call, k);
    if (call.ok()) call.move(self, from, out, to.at(k));
  }
}

/// Coordinates of row-major element k.
Extents index_coordinates(std::int64_t k, const Extents& shape) {
  Extents at(shape.size(), 0);
  for (std::size_t i = shape.size(); i-- > 0;) {
    at[i] = k % shape[i];
    k /= shape[i];
  }
  return at;
}

std::int64_t index_position(const Geometry& g, const Extents& at) {
  std::int64_t position = g.offset;
  for (std::size_t i = 0; i < at.size(); ++i) position += at[i] * g.stride[i];
  return position;
}

void run_index_select(Call& call, const KernelRow&) {
  const Array self = call.tensor(0), index = call.tensor(2);
  const auto dim = static_cast<std::size_t>(call.dim(1, 0, self.at.rank()));
  if (call.ok() && index.at.rank() > 1) call.raise("Index is supposed to be a vector");
  if (!call.ok()) return;
  Extents shape = self.at.shape;
  if (!shape.empty()) shape[dim] = index.at.numel();
  const Array out = call.output(self.at.dtype, shape);
  const std::int64_t count = out.at.numel();
  if (!call.spend({count})) return;
  const Elements numbers(index.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    Extents at = index_coordinates(k, shape);
    const std::int64_t to = index_position(out.at, at);
    if (!at.empty()) at[dim] = read_index(call, index, numbers.at(at[dim]), self.at.shape[dim], false);
    if (call.ok()) call.move(self, index_position(self.at, at), out, to);
  }
}

void run_gather(Call& call, const KernelRow&) {
  const Array self = call.tensor(0), index = call.tensor(2);
  const auto dim = static_cast<std::size_t>(call.dim(1, 0, self.at.rank()));
  if (!call.ok()) return;
  const Array out = call.output(self.at.dtype, index.at.shape);
  const std::int64_t count = out.at.numel();
  if (count != 0 &&
      std::max<std::size_t>(self.at.shape.size(), 1) != std::max<std::size_t>(index.at.shape.size(), 1))
    return call.raise("Index tensor must have the same number of dimensions as input tensor");
  for (std::size_t i = 0; count != 0 && i < self.at.shape.size() && i < index.at.shape.size(); ++i)
    if (i != dim && index.at.shape[i] > self.at.shape[i])
      return call.raise("Size does not match at a dimension of index");
  if (!call.spend({count})) return;
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    Extents at = index_coordinates(k, index.at.shape);
    const std::int64_t size = self.at.shape.empty() ? 1 : self.at.shape[dim];
    const std::int64_t to = index_position(out.at, at);
    const std::int64_t chosen = read_index(call, index, index_position(index.at, at), size, false);
    if (dim < at.size()) at[dim] = chosen;
    at.resize(self.at.shape.size(), 0);
    if (call.ok()) call.move(self, index_position(self.at, at), out, to);
  }
}

void run_embedding(Call& call, const KernelRow&) {
  const Array weight = call.tensor(0), index = call.tensor(1);
  if (call.ok() && weight.at.rank() != 2) call.raise("'weight' must be 2-D");
  if (!call.ok()) return;
  Extents shape = index.at.shape;
  shape.push_back(weight.at.shape[1]);
  const Array out = call.output(weight.at.dtype, shape);
  const std::int64_t rows = index.at.numel(), width = weight.at.shape[1];
  if (!call.spend({rows, width})) return;
  const Elements numbers(index.at), to(out.at);
  for (std::int64_t r = 0; r < rows && call.ok(); ++r) {
    const std::int64_t row = read_index(call, index, numbers.at(r), weight.at.shape[0], false);
    for (std::int64_t c = 0; c < width && call.ok(); ++c)
      call.move(weight, index_position(weight.at, {row, c}), out, to.at(r * width + c));
  }
}

/// Row i of the result is the sum of the rows of grad_output whose index is i.
void run_embedding_backward(Call& call, const KernelRow&) {
  const Array grad = call.tensor(0), index = call.tensor(1);
  const std::int64_t rows = call.integer(2, 0), padding = call.integer(3, -1);
  const bool scaled = call.boolean(4, false);
  const std::int64_t count = index.at.numel(), width = grad.at.shape.empty() ? 0 : grad.at.shape.back();
  if (call.ok() && (rows < 0 || grad.at.numel() != count * width || grad.at.shape.empty()))
    call.raise("embedding_dense_backward: grad_output does not fit the indices");
  if (!call.ok()) return;
  const Array out = call.output(grad.at.dtype, {rows, width});
  if (!call.ok() || !call.spend({count, std::max<std::int64_t>(width, 1)}) || !call.spend({rows, width}))
    return;
  const Elements numbers(index.at), from(grad.at), to(out.at);
  std::vector<double> sums(static_cast<std::size_t>(rows * width), 0);
  std::vector<std::int64_t> chosen, uses(static_cast<std::size_t>(rows), 0);
  call.begin();
  for (std::int64_t i = 0; i < count && call.ok(); ++i) {
    const std::int64_t row = convert(call.load(index, numbers.at(i)), Dtype::i64).integer;
    if (row != padding && (row < 0 || row >= rows))
      return call.raise("embedding_dense_backward: index out of range");
    chosen.push_back(row);
    if (row != padding) ++uses[static_cast<std::size_t>(row)];
  }
  for (std::int64_t i = 0; i < count * width && call.ok(); ++i) {
    const std::int64_t row = chosen[static_cast<std::size_t>(i / width)];
    const double value = call.load(grad, from.at(i)).as_real();
    if (row == padding) continue;
    const double share = scaled ? static_cast<double>(uses[static_cast<std::size_t>(row)]) : 1;
    sums[static_cast<std::size_t>(row * width + i % width)] += value / share;
  }
  for (std::int64_t k = 0; k < rows * width && call.ok(); ++k)
    call.store(out, to.at(k), Number::of_real(sums[static_cast<std::size_t>(k)]));
}

void run_masked_select(Call& call, const KernelRow&) {
  const Array self = call.tensor(0), mask = call.tensor(1);
  const auto shape = broadcast_shapes(self.at.shape, mask.at.shape);
  if (!shape) return call.raise("the mask does not broadcast");
  const auto count = element_count(*shape);
  if (!call.ok() || !count || !call.spend({*count})) return;
  const Elements from(self.at, *shape), test(mask.at, *shape);
  std::vector<std::int64_t> taken;
  for (std::int64_t k = 0; k < *count && call.ok(); ++k)
    if (call.load(mask, test.at(k)).truthy()) taken.push_back(from.at(k));
  const Array out = call.output(self.at.dtype, {static_cast<std::int64_t>(taken.size())});
  for (std::size_t i = 0; i < taken.size() && call.ok(); ++i)
    call.move(self, taken[i], out, out.at.offset + static_cast<std::int64_t>(i) * out.at.stride[0]);
}

void run_nonzero(Call& call, const KernelRow&) {
  const Array self = call.tensor(0);
  const std::int64_t count = self.at.numel();
  if (!call.spend({count})) return;
  const Elements from(self.at);
  std::vector<Extents> found;
  call.begin();
  for (std::int64_t k = 0; k < count && call.ok(); ++k)
    if (call.load(self, from.at(k)).truthy()) found.push_back(index_coordinates(k, self.at.shape));
  const auto rows = static_cast<std::int64_t>(found.size());
  const Array out = call.output(Dtype::i64, {rows, self.at.rank()}, {1, rows});
  for (std::size_t i = 0; i < found.size() && call.ok(); ++i)
    for (std::size_t j = 0; j < found[i].size(); ++j)
      call.store(out, index_position(out.at, {static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)}),
                 Number::of(found[i][j]));
}

const KernelRow kIndexRows[] = {
    {"index.Tensor", run_index},
    {"index.Tensor_hacked_twin", run_index},
    {"index_select.default", run_index_select},
    {"gather.default", run_gather},
    {"embedding.default", run_embedding},
    {"embedding_dense_backward.default", run_embedding_backward},
    {"masked_select.default", run_masked_select},
    {"nonzero.default", run_nonzero},
};

}  // namespace

std::int64_t read_index(Call& call, const Array& array, std::int64_t at, std::int64_t size, bool wraps) {
  const std::int64_t index = convert(call.load(array, at), Dtype::i64).integer;
  if (index >= size || index < (wraps ? -size : 0)) {
    call.raise("index " + std::to_string(index) + " is out of bounds for size " + std::to_string(size));
    return 0;
  }
  return index < 0 ? index + size : index;
}

std::optional<IndexPlan> IndexPlan::make(Call& call, const Array& self, const Datum& indices) {
  IndexPlan plan;
  plan.self_ = self.at;
  std::vector<bool> indexed;
  for (const Datum& d : indices.list) {
    if (d.kind != Datum::Kind::tensor) {
      indexed.push_back(false);
      continue;
    }
    if (is_mask(d.tensor))
      for (std::size_t i = 0; i < d.tensor.at.shape.size(); ++i) {
        const std::size_t at = indexed.size() + i;
        if (at >= self.at.shape.size() || self.at.shape[at] != d.tensor.at.shape[i]) {
          call.raise("The shape of the mask does not match the shape of the indexed tensor");
          return std::nullopt;
        }
      }
    const std::vector<Array> parts =
        is_mask(d.tensor) ? mask_indices(call, d.tensor) : std::vector<Array>{d.tensor};
    for (const Array& part : parts) {
      plan.dims_.push_back(indexed.size());
      plan.index_.push_back(part);
      indexed.push_back(true);
      const auto both = broadcast_shapes(plan.index_shape_, part.at.shape);
      if (!both)
        call.raise("shape mismatch: indexing tensors could not be broadcast together");
      else
        plan.index_shape_ = *both;
    }
  }
  if (indexed.size() > self.at.shape.size()) call.raise("too many indices for tensor");
  if (!call.ok()) return std::nullopt;
  indexed.resize(self.at.shape.size(), false);
  plan.place(self.at, indexed);
  return plan;
}

void IndexPlan::place(const Geometry& self, const std::vector<bool>& indexed) {
  const bool adjacent = dims_.empty() || dims_.back() - dims_.front() + 1 == dims_.size();
  for (std::size_t i = 0; i < indexed.size(); ++i) {
    if (!dims_.empty() && adjacent && i == dims_.front()) index_at_ = shape_.size();
    if (indexed[i]) continue;
    free_dims_.push_back(i);
    shape_.push_back(self.shape[i]);
  }
  shape_.insert(shape_.begin() + static_cast<std::ptrdiff_t>(index_at_), index_shape_.begin(),
                index_shape_.end());
}

Extents IndexPlan::strides() const {
  Geometry self{self_.dtype, shape_, Extents(shape_.size(), 0), 0};
  std::size_t next = 0;
  const std::size_t end = index_at_ + index_shape_.size();
  for (std::size_t i = 0; i < shape_.size(); ++i)
    if (i < index_at_ || i >= end) self.stride[i] = self_.stride[free_dims_[next++]];
  std::vector<Geometry> operands{self};
  for (const Array& index : index_) {
    const Geometry shown = shown_in(index.at, index_shape_);
    Geometry g{Dtype::i64, Extents(shape_.size(), 1), Extents(shape_.size(), 0), 0};
    for (std::size_t i = index_at_; i < end; ++i) {
      g.shape[i] = shown.shape[i - index_at_];
      g.stride[i] = shown.stride[i - index_at_];
    }
    operands.push_back(std::move(g));
  }
  return iterator_strides(operands, shape_);
}

std::int64_t IndexPlan::position(Call& call, std::int64_t k) const {
  const Extents at = index_coordinates(k, shape_);
  std::int64_t position = self_.offset, in_index = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (i >= index_at_ && i < index_at_ + index_shape_.size()) {
      in_index = in_index * shape_[i] + at[i];
      continue;
    }
    position += at[i] * self_.stride[free_dims_[next++]];
  }
  for (std::size_t j = 0; j < index_.size() && call.ok(); ++j) {
    const Elements numbers(index_[j].at, index_shape_);
    position += self_.stride[dims_[j]] *
                read_index(call, index_[j], numbers.at(in_index), self_.shape[dims_[j]], true);
  }
  return position;
}

std::span<const KernelRow> index_kernels() { return kIndexRows; }

}  // namespace noclobber
