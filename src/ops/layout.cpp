#include "src/ops/layout.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace noclobber {
namespace {

/// -1: dim0 is the inner one; 1: dim1 is; 0: these strides do not decide.
int compare_dims(std::int64_t stride0, std::int64_t stride1, std::int64_t size0, std::int64_t size1) {
  if (stride0 == 0 || stride1 == 0) return 0;
  if (stride0 != stride1) return stride0 < stride1 ? -1 : 1;
  return size0 > size1 ? 1 : 0;
}

bool is_reversed(const std::vector<std::size_t>& perm) {
  for (std::size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != perm.size() - 1 - i) return false;
  return true;
}

/// The strides of `g` broadcast to `shape`, 0 in broadcast dimensions.
Extents expanded_strides(const Geometry& g, const Extents& shape) {
  Extents strides(shape.size(), 0);
  const std::size_t skip = shape.size() - g.shape.size();
  for (std::size_t i = 0; i < g.shape.size(); ++i)
    strides[i + skip] = g.shape[i] == 1 && shape[i + skip] != 1 ? 0 : g.stride[i];
  return strides;
}

enum class Category : std::uint8_t { boolean, integral, floating, complex };

Category category_of(Dtype type) {
  if (type == Dtype::boolean) return Category::boolean;
  if (is_complex(type)) return Category::complex;
  return is_floating(type) ? Category::floating : Category::integral;
}

Dtype promote_integers(Dtype a, Dtype b) {
  if (is_signed(a) == is_signed(b)) return bit_width(a) >= bit_width(b) ? a : b;
  const Dtype s = is_signed(a) ? a : b, u = is_signed(a) ? b : a;
  if (bit_width(s) > bit_width(u)) return s;
  if (bit_width(u) <= 4) return Dtype::i8;
  if (bit_width(u) == 8) return Dtype::i16;
  return bit_width(u) == 16 ? Dtype::i32 : Dtype::i64;
}

Dtype combine(std::optional<Dtype> higher, std::optional<Dtype> lower) {
  if (!higher) return lower.value_or(Dtype::f32);
  if (!lower) return *higher;
  const Category h = category_of(*higher), l = category_of(*lower);
  if (h == Category::complex) return *higher;
  if (h == Category::floating)
    return l == Category::complex ? (*higher == Dtype::f64 ? Dtype::c128 : Dtype::c64) : *higher;
  if (h == Category::boolean || l >= Category::floating) return promote(*higher, *lower);
  return *higher;
}

}  // namespace

std::optional<Extents> constant_extents(const std::vector<SymExpr>& sizes) {
  Extents out;
  for (const SymExpr& size : sizes) {
    if (!size.is_constant()) return std::nullopt;
    out.push_back(size.constant());
  }
  return out;
}

std::optional<std::int64_t> element_count(const Extents& shape) {
  std::int64_t n = 1;
  bool empty = false;
  for (std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    empty = empty || size == 0;
  }
  if (empty) return 0;
  for (std::int64_t size : shape)
    if (__builtin_mul_overflow(n, size, &n)) return std::nullopt;
  return n;
}

Extents contiguous_strides(const Extents& shape) {
  Extents strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;)
    if (__builtin_mul_overflow(strides[i], std::max<std::int64_t>(shape[i], 1), &strides[i - 1]))
      strides[i - 1] = 1;
  return strides;
}

bool is_contiguous(const Geometry& g) {
  if (g.numel() == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t i = g.shape.size(); i-- > 0;) {
    if (g.shape[i] == 1) continue;
    if (g.stride[i] != expected || __builtin_mul_overflow(expected, g.shape[i], &expected)) return false;
  }
  return true;
}

bool is_dense(const Geometry& g) {
  if (is_contiguous(g)) return true;
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;
  for (std::size_t i = 0; i < g.shape.size(); ++i)
    if (g.shape[i] > 1) dims.emplace_back(g.stride[i], g.shape[i]);
  std::sort(dims.begin(), dims.end());
  std::int64_t expected = 1;
  for (const auto& [stride, size] : dims)
    if (stride != expected || __builtin_mul_overflow(expected, size, &expected)) return false;
  return true;
}

Extents channels_last_strides(const Extents& shape) {
  Extents strides(shape.size(), 1);
  std::int64_t next = 1;
  auto place = [&](std::size_t dim) {
    strides[dim] = next;
    if (__builtin_mul_overflow(next, std::max<std::int64_t>(shape[dim], 1), &next)) next = 1;
  };
  if (shape.size() < 2) return contiguous_strides(shape);
  place(1);
  for (std::size_t i = shape.size(); i-- > 2;) place(i);
  place(0);
  return strides;
}

bool is_channels_last(const Geometry& g) {
  if (g.rank() != 4 && g.rank() != 5) return false;
  const Extents want = channels_last_strides(g.shape);
  for (std::size_t i = 0; i < want.size(); ++i)
    if (g.shape[i] != 1 && g.stride[i] != want[i]) return false;
  return true;
}

bool prefers_channels_last(const Geometry& g) {
  if (g.rank() != 4 && g.rank() != 5) return false;
  std::vector<std::size_t> order{1};
  for (std::size_t i = g.shape.size(); i-- > 2;) order.push_back(i);
  order.push_back(0);
  if (g.stride[1] == 0) return false;
  std::int64_t least = 0;
  for (std::size_t dim : order) {
    if (g.shape[dim] == 0 || g.stride[dim] < least) return false;
    if (dim == 0 && least == g.stride[1]) return false;
    least = g.stride[dim];
    if (g.shape[dim] > 1 && __builtin_mul_overflow(least, g.shape[dim], &least)) return false;
  }
  return true;
}

Extents preserved_strides(const Geometry& g) {
  if (is_dense(g)) return g.stride;
  const std::size_t rank = g.shape.size();
  const auto perm = sorted_dims(rank, [&](std::size_t a, std::size_t b) {
    return compare_dims(g.stride[a], g.stride[b], g.shape[a], g.shape[b]);
  });
  Extents strides(rank, 1);
  std::int64_t next = 1;
  for (std::size_t dim : perm) {
    strides[dim] = next;
    if (g.shape[dim] > 1 && __builtin_mul_overflow(next, g.shape[dim], &next))
      return contiguous_strides(g.shape);
  }
  return strides;
}

Extents iterator_strides(std::span<const Geometry> inputs, const Extents& shape) {
  bool same = true, plain = true, last = true, dense = true;
  for (const Geometry& g : inputs) {
    same = same && g.shape == shape;
    plain = plain && is_contiguous(g);
    last = last && is_channels_last(g);
    dense = dense && is_dense(g) && g.stride == inputs[0].stride;
  }
  if (inputs.empty() || (same && plain)) return contiguous_strides(shape);
  if (same && last) return channels_last_strides(shape);
  if (same && dense) return inputs[0].stride;
  std::vector<Extents> strides;
  for (const Geometry& g : inputs)  // strides in bytes have the same order within one input
    strides.push_back(expanded_strides(g, shape));
  const auto perm = sorted_dims(shape.size(), [&](std::size_t a, std::size_t b) {
    for (const Extents& s : strides)
      if (const int order = compare_dims(s[a], s[b], shape[a], shape[b]); order != 0) return order;
    return 0;
  });
  if (is_reversed(perm)) return contiguous_strides(shape);
  Extents result(shape.size(), 1);
  std::int64_t next = 1;
  for (std::size_t dim : perm) {
    result[dim] = next;
    if (__builtin_mul_overflow(next, shape[dim], &next)) return contiguous_strides(shape);
  }
  return result;
}

std::optional<Extents> broadcast_shapes(const Extents& a, const Extents& b) {
  Extents result(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Geometry shown_in(Geometry g, const Extents& shape) {
  g.stride = expanded_strides(g, shape);
  g.shape = shape;
  return g;
}

std::optional<Extents> reshaped_strides(const Geometry& g, const Extents& shape) {
  if (g.shape.empty()) return Extents(shape.size(), 1);
  const std::int64_t numel = g.numel();
  if (numel == 0) return g.shape == shape ? g.stride : contiguous_strides(shape);
  Extents result(shape.size(), 1);
  auto view = static_cast<std::ptrdiff_t>(shape.size()) - 1;
  std::int64_t base = g.stride.back(), block = 1, shown = 1;
  for (std::size_t dim = g.shape.size(); dim-- > 0;) {
    block *= g.shape[dim];
    const bool ends = dim == 0 || (g.shape[dim - 1] != 1 && g.stride[dim - 1] != block * base);
    if (!ends) continue;
    while (view >= 0 && (shown < block || shape[static_cast<std::size_t>(view)] == 1)) {
      result[static_cast<std::size_t>(view)] = shown * base;
      shown *= shape[static_cast<std::size_t>(view)];
      --view;
    }
    if (shown != block) return std::nullopt;
    if (dim > 0) base = g.stride[dim - 1];
    block = shown = 1;
  }
  if (view != -1) return std::nullopt;
  return result;
}

std::optional<std::int64_t> reach(const Geometry& g) {
  if (g.offset < 0 || g.shape.size() != g.stride.size()) return std::nullopt;
  std::int64_t low = g.offset, high = g.offset;
  for (std::size_t i = 0; i < g.shape.size(); ++i) {
    if (g.shape[i] < 0) return std::nullopt;
    if (g.shape[i] == 0) return 0;
    std::int64_t span = 0;
    if (__builtin_mul_overflow(g.shape[i] - 1, g.stride[i], &span)) return std::nullopt;
    std::int64_t& end = span < 0 ? low : high;
    if (__builtin_add_overflow(end, span, &end)) return std::nullopt;
  }
  if (low < 0 || __builtin_add_overflow(high, 1, &high)) return std::nullopt;
  return high;
}

Dtype promote(Dtype a, Dtype b) {
  if (a == b) return a;
  const Category x = category_of(a), y = category_of(b);
  if (x < y) return promote(b, a);
  switch (x) {
    case Category::boolean:
      return Dtype::boolean;
    case Category::integral:
      return y == Category::boolean ? a : promote_integers(a, b);
    case Category::floating:
      if (y != Category::floating) return a;
      if (bit_width(a) != bit_width(b)) return bit_width(a) > bit_width(b) ? a : b;
      return Dtype::f32;
    case Category::complex:
      return a == Dtype::c128 || b == Dtype::c128 || b == Dtype::f64 ? Dtype::c128 : Dtype::c64;
  }
  return a;
}

Dtype result_type(std::span<const Promoted> inputs) {
  std::array<std::optional<Dtype>, 3> by_rank;
  for (const Promoted& p : inputs) {
    std::optional<Dtype>& slot = by_rank[static_cast<std::size_t>(p.rank)];
    slot = slot ? promote(*slot, p.dtype) : p.dtype;
  }
  std::optional<Dtype> lower = by_rank[2];
  if (by_rank[1]) lower = combine(by_rank[1], lower);
  if (by_rank[0]) lower = combine(by_rank[0], lower);
  return lower.value_or(Dtype::f32);
}

bool can_cast(Dtype from, Dtype to) {
  const Category f = category_of(from), t = category_of(to);
  if (f == Category::complex && t != Category::complex) return false;
  if (f == Category::floating && t < Category::floating) return false;
  return f == Category::boolean || t != Category::boolean;
}

}  // namespace noclobber
