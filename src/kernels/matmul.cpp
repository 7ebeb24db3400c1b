// Matrix products, row by row. Sums of floats are computed in double precision and rounded once.
#include <algorithm>

#include "src/kernels/dense.h"
#include "src/kernels/product.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

/// out[b, i, j] = beta * addend[b, i, j] + alpha * sum over k of x[b, i, k] * y[b, k, j].
struct ScaledProduct {
  Array x, y;  // rank 3, batch first
  const Array* addend = nullptr;
  Number beta = Number::of(1), alpha = Number::of(1);
  Extents shape;  // of the operator's result
};

Array with_dims(const Array& a, const Extents& shape, const Extents& stride) {
  return {{a.at.dtype, shape, stride, a.at.offset, a.at.conjugated}, a.memory};
}

Dtype held_dtype(Dtype dtype) {
  return is_floating(dtype) ? Dtype::f64 : is_complex(dtype) ? Dtype::c128 : dtype;
}

Number scaled(const Number& by, const Number& value, Dtype dtype) {
  return mul_numbers(convert(by, held_dtype(dtype)), value);
}

/// alpha or beta in the type of the sums for `dtype`.
template <class T>
T held_as(const Number& by, Dtype dtype) {
  return dense_value<T>(convert(by, held_dtype(dtype)));
}

/// True if no store to `out` can change an operand, so all of them may be read first.
bool reads_first(const ScaledProduct& p, const Array& out) {
  return !shares_memory(p.x, out) && !shares_memory(p.y, out) && !(p.addend && shares_memory(*p.addend, out));
}

constexpr std::size_t kBlockRows = 128;  // rows of a result that are held in full precision at a time

/// The factors in row-major order; `turned`: the second one is transposed in memory.
template <class T>
struct Factors {
  Dense<T> x, y, addend;
  bool turned = false;
  std::size_t rows = 0, depth = 0, width = 0;
};

template <class T>
Factors<T> gather_factors(Call& call, const ScaledProduct& p) {
  Factors<T> f;
  Array y = p.y;
  f.turned = y.at.stride[1] < y.at.stride[2];
  if (f.turned) {
    std::swap(y.at.shape[1], y.at.shape[2]);
    std::swap(y.at.stride[1], y.at.stride[2]);
  }
  f.x = gather_dense<T>(call, p.x);
  f.y = gather_dense<T>(call, y);
  if (p.addend && p.beta.truthy()) {
    Array shown = *p.addend;
    shown.at = shown_in(std::move(shown.at), p.shape);
    f.addend = gather_dense<T>(call, shown);
  }
  f.rows = static_cast<std::size_t>(p.x.at.shape[1]);
  f.depth = static_cast<std::size_t>(p.x.at.shape[2]);
  f.width = static_cast<std::size_t>(p.y.at.shape[2]);
  return f;
}

/// Which sums of row `row` have only defined terms.
template <class T>
std::vector<std::uint8_t> defined_sums(const Factors<T>& f, std::size_t row) {
  std::vector<std::uint8_t> defined(f.width, 1);
  const std::uint8_t* const of_x = f.x.defined.data() + row * f.depth;
  const std::uint8_t* const of_y = f.y.defined.data() + row / f.rows * f.depth * f.width;
  for (std::size_t k = 0; k < f.depth; ++k)
    for (std::size_t j = 0; j < f.width; ++j)
      if (!of_x[k] || !of_y[f.turned ? j * f.depth + k : k * f.width + j]) defined[j] = 0;
  for (std::size_t j = 0; j < f.width; ++j)
    if (!f.addend.values.empty() && !f.addend.defined[row * f.width + j]) defined[j] = 0;
  return defined;
}

/// Stores row `row` of the result from the sums of its products.
template <class T>
void store_products(Call& call, const ScaledProduct& p, const Array& out, const Elements& to,
                    const Factors<T>& f, std::size_t row, T* sums) {
  const T alpha = held_as<T>(p.alpha, out.at.dtype), beta = held_as<T>(p.beta, out.at.dtype);
  const std::size_t first = row * f.width;
  for (std::size_t j = 0; j < f.width; ++j) {
    sums[j] *= alpha;
    if (!f.addend.values.empty()) sums[j] += beta * f.addend.values[first + j];
  }
  const bool all = f.x.all_defined && f.y.all_defined && f.addend.all_defined;
  const auto at = static_cast<std::int64_t>(first), count = static_cast<std::int64_t>(f.width);
  if (all && count > 0 && runs_freely(call, out))
    return store_values(out, to.at(at), count > 1 ? out.at.stride.back() : 1, count, sums);
  const std::vector<std::uint8_t> defined = defined_sums(f, row);
  for (std::size_t j = 0; j < f.width && call.ok(); ++j)
    store_dense(call, out, to.at(at + static_cast<std::int64_t>(j)), sums[j], defined[j] != 0);
}

template <class T>
void multiply_dense(Call& call, const ScaledProduct& p, const Array& out) {
  const Factors<T> f = gather_factors<T>(call, p);
  const auto all = static_cast<std::size_t>(p.x.at.shape[0]) * f.rows;
  std::vector<T> sums(std::min(f.rows, kBlockRows) * f.width);
  const Elements to(out.at);
  for (std::size_t row = 0, count = 0; row < all && call.ok(); row += count) {
    const std::size_t batch = row / f.rows;
    count = std::min(kBlockRows, (batch + 1) * f.rows - row);
    dense_product(f.x.values.data() + row * f.depth, f.y.values.data() + batch * f.depth * f.width,
                  sums.data(), count, f.depth, f.width, f.turned);
    for (std::size_t i = 0; i < count && call.ok(); ++i)
      store_products(call, p, out, to, f, row + i, sums.data() + i * f.width);
  }
}

void multiply(Call& call, const ScaledProduct& p) {
  const Extents &xs = p.x.at.shape, &ys = p.y.at.shape;
  const bool unadded = !p.addend || !p.beta.truthy() || element_count(p.shape) == 0;
  const bool nothing = p.shape.size() == 3 && unadded && (p.x.at.numel() == 0 || p.y.at.numel() == 0);
  const Dtype dtype = nothing ? p.y.at.dtype : p.x.at.dtype;  // an empty bmm does not compare types
  if (dtype != p.y.at.dtype) return call.raise("expected m1 and m2 to have the same dtype");
  if (xs[0] != ys[0] || xs[2] != ys[1]) return call.raise("mat1 and mat2 shapes cannot be multiplied");
  std::optional<Elements> addend;
  if (p.addend) {
    const auto both = broadcast_shapes(p.addend->at.shape, p.shape);
    if (!both || *both != p.shape) return call.raise("addmm: the addend does not broadcast to the product");
    if (!nothing && p.addend->at.dtype != dtype) return call.raise("self and mat2 must have the same dtype");
    addend.emplace(p.addend->at, p.shape);
  }
  const Array out = call.output(dtype, p.shape);
  if (!call.ok() || !call.spend({xs[0], xs[1], ys[2], std::max<std::int64_t>(xs[2], 1)})) return;
  if (reads_first(p, out) && !call.watched)
    return with_dense_type(dtype, [&](auto zero) { multiply_dense<decltype(zero)>(call, p, out); });
  const Elements to(out.at);
  const bool adds = addend && p.beta.truthy();
  std::int64_t at = 0;
  for (std::int64_t b = 0; b < xs[0]; ++b)
    for (std::int64_t i = 0; i < xs[1]; ++i)
      for (std::int64_t j = 0; j < ys[2] && call.ok(); ++j, ++at) {
        call.begin();
        Number sum = convert(Number::of(0), held_dtype(dtype));
        const std::int64_t x0 = p.x.at.offset + b * p.x.at.stride[0] + i * p.x.at.stride[1];
        const std::int64_t y0 = p.y.at.offset + b * p.y.at.stride[0] + j * p.y.at.stride[2];
        for (std::int64_t k = 0; k < xs[2]; ++k)
          sum = add_numbers(sum, mul_numbers(call.load(p.x, x0 + k * p.x.at.stride[2]),
                                             call.load(p.y, y0 + k * p.y.at.stride[1])));
        sum = scaled(p.alpha, sum, dtype);
        if (adds) sum = add_numbers(sum, scaled(p.beta, call.load(*p.addend, addend->at(at)), dtype));
        call.store(out, to.at(at), sum);
      }
}

Array as_batch(const Array& a) {
  return with_dims(a, {1, a.at.shape[0], a.at.shape[1]}, {0, a.at.stride[0], a.at.stride[1]});
}

/// variant bit 0: batched, bit 1: with an addend (beta, alpha at 3 and 4).
void run_matmul(Call& call, const KernelRow& row) {
  const bool batched = (row.variant & 1) != 0, adds = (row.variant & 2) != 0;
  const Array addend = adds ? call.tensor(0) : Array{};
  const Array x = call.tensor(adds ? 1 : 0), y = call.tensor(adds ? 2 : 1);
  if (!call.ok()) return;
  const std::size_t rank = batched ? 3 : 2;
  if (x.at.shape.size() != rank || y.at.shape.size() != rank)
    return call.raise("matrices of another rank are expected");
  ScaledProduct p;
  p.x = batched ? x : as_batch(x);
  p.y = batched ? y : as_batch(y);
  p.shape =
      batched ? Extents{x.at.shape[0], x.at.shape[1], y.at.shape[2]} : Extents{x.at.shape[0], y.at.shape[1]};
  if (adds) {
    p.addend = &addend;
    p.beta = call.number(3, 1);
    p.alpha = call.number(4, 1);
  }
  if (call.ok()) multiply(call, p);
}

/// variant 0: mv, 1: dot, 2: addmv, with beta and alpha at 3 and 4.
void run_vector_product(Call& call, const KernelRow& row) {
  const bool adds = row.variant == 2, dots = row.variant == 1;
  const Array addend = adds ? call.tensor(0) : Array{};
  const Array x = call.tensor(adds ? 1 : 0), y = call.tensor(adds ? 2 : 1);
  if (!call.ok()) return;
  if (x.at.rank() != (dots ? 1 : 2) || y.at.rank() != 1) return call.raise("vector + matrix expected");
  ScaledProduct p;
  if (adds) {
    p.addend = &addend;
    p.beta = call.number(3, 1);
    p.alpha = call.number(4, 1);
  }
  p.x = !dots ? as_batch(x) : with_dims(x, {1, 1, x.at.shape[0]}, {0, 0, x.at.stride[0]});
  p.y = with_dims(y, {1, y.at.shape[0], 1}, {0, y.at.stride[0], 0});
  if (!dots) p.shape = {x.at.shape[0]};
  multiply(call, p);
}

/// linear(input, weight, bias): products of the last dimension with the rows of weight.
void run_linear(Call& call, const KernelRow&) {
  const Array x = call.tensor(0), weight = call.tensor(1), bias = call.has(2) ? call.tensor(2) : Array{};
  if (!call.ok()) return;
  if (x.at.shape.empty() || weight.at.rank() != 2) return call.decline("linear of another rank");
  if (!is_contiguous(x.at)) return call.decline("linear of strided rows");
  const std::int64_t width = x.at.shape.back(), rows = width == 0 ? 0 : x.at.numel() / width;
  if (width == 0) return call.decline("linear of empty rows");
  ScaledProduct p;
  p.x = with_dims(x, {1, rows, width}, {0, width, 1});
  p.y = with_dims(weight, {1, weight.at.shape[1], weight.at.shape[0]},
                  {0, weight.at.stride[1], weight.at.stride[0]});
  p.shape = x.at.shape;
  p.shape.back() = weight.at.shape[0];
  if (call.has(2)) p.addend = &bias;
  multiply(call, p);
}

/// A vector as a matrix of one row, or of one column.
Array as_matrix(Array a, bool column) {
  if (a.at.rank() != 1) return a;
  const auto place = [column](Extents& of) { return column ? of.end() : of.begin(); };
  a.at.shape.insert(place(a.at.shape), 1);
  a.at.stride.insert(place(a.at.stride), 0);
  return a;
}

Extents batch_of(const Array& a) { return {a.at.shape.begin(), a.at.shape.end() - 2}; }

/// Products of matrices, in batches that broadcast.
void multiply_batches(Call& call, const Array& x, const Array& y, const Extents& batch,
                      const Extents& shape) {
  const std::int64_t rows = x.at.shape.end()[-2], depth = x.at.shape.back(), width = y.at.shape.back();
  const auto elements = [&batch](const Array& a) {
    Extents all = batch;
    all.insert(all.end(), a.at.shape.end() - 2, a.at.shape.end());
    return Elements(a.at, all);
  };
  const Elements of_x = elements(x), of_y = elements(y);
  const Array out = call.output(x.at.dtype, shape);
  if (!call.ok() || !call.spend({out.at.numel(), std::max<std::int64_t>(depth, 1)})) return;
  const Elements to(out.at);
  for (std::int64_t at = 0; at < out.at.numel() && call.ok(); ++at) {
    const std::int64_t row = at / width, first = row / rows * depth * width + at % width;
    call.begin();
    Number sum = convert(Number::of(0), held_dtype(x.at.dtype));
    for (std::int64_t k = 0; k < depth; ++k)
      sum = add_numbers(
          sum, mul_numbers(call.load(x, of_x.at(row * depth + k)), call.load(y, of_y.at(first + k * width))));
    call.store(out, to.at(at), sum);
  }
}

/// matmul(x, y): vectors, matrices, and batches of matrices that broadcast.
void run_any_matmul(Call& call, const KernelRow&) {
  const Array left = call.tensor(0), right = call.tensor(1);
  if (!call.ok()) return;
  if (left.at.rank() == 0 || right.at.rank() == 0)
    return call.raise("both arguments to matmul need to be at least 1D");
  const Array x = as_matrix(left, false), y = as_matrix(right, true);
  const auto batch = broadcast_shapes(batch_of(x), batch_of(y));
  if (!batch || x.at.shape.back() != y.at.shape.end()[-2])
    return call.raise("mat1 and mat2 shapes cannot be multiplied");
  if (x.at.dtype != y.at.dtype) return call.raise("expected m1 and m2 to have the same dtype");
  Extents shape = *batch;
  if (left.at.rank() > 1) shape.push_back(x.at.shape.end()[-2]);
  if (right.at.rank() > 1) shape.push_back(y.at.shape.back());
  if (!batch->empty()) return multiply_batches(call, x, y, *batch, shape);
  ScaledProduct p;
  p.x = as_batch(x);
  p.y = as_batch(y);
  p.shape = shape;
  multiply(call, p);
}

const KernelRow kMatmulRows[] = {
    kernel_row("mm.default", run_matmul, 0),
    kernel_row("bmm.default", run_matmul, 1),
    kernel_row("addmm.default", run_matmul, 2),
    kernel_row("baddbmm.default", run_matmul, 3),
    kernel_row("mv.default", run_vector_product, 0),
    kernel_row("dot.default", run_vector_product, 1),
    kernel_row("addmv.default", run_vector_product, 2),
    kernel_row("linear.default", run_linear, 0),
    kernel_row("matmul.default", run_any_matmul, 0),
};

}  // namespace

std::span<const KernelRow> matmul_kernels() { return kMatmulRows; }

}  // namespace noclobber
