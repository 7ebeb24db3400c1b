#include "src/kernels/runs.h"

#include <cstring>
#include <type_traits>

namespace noclobber {
namespace {

/// A dtype whose elements are of a C++ type.
template <class T, Dtype type>
struct Stored {
  using Value = T;
  static constexpr Dtype dtype = type;
};

/// Calls f(Stored<...>) for the dtype. False if its elements are of no C++ type here.
template <class F>
bool with_stored(Dtype dtype, F f) {
  switch (dtype) {
    case Dtype::f64:
      return f(Stored<double, Dtype::f64>{}), true;
    case Dtype::f32:
      return f(Stored<float, Dtype::f32>{}), true;
    case Dtype::i64:
      return f(Stored<std::int64_t, Dtype::i64>{}), true;
    case Dtype::i32:
      return f(Stored<std::int32_t, Dtype::i32>{}), true;
    case Dtype::boolean:
      return f(Stored<std::uint8_t, Dtype::boolean>{}), true;
    case Dtype::u8:
    case Dtype::u16:
    case Dtype::u32:
    case Dtype::u64:
    case Dtype::u4:
    case Dtype::i4:
    case Dtype::i8:
    case Dtype::i16:
    case Dtype::f16:
    case Dtype::bf16:
    case Dtype::f8e4m3fn:
    case Dtype::f8e5m2:
    case Dtype::c64:
    case Dtype::c128:
    case Dtype::other:
      break;
  }
  return false;
}

template <class S>
typename S::Value stored_value(const Number& n) {
  using T = typename S::Value;
  if constexpr (std::is_floating_point_v<T>)
    return n.kind == Number::Kind::integer ? static_cast<T>(n.integer) : static_cast<T>(n.re);
  else
    return static_cast<T>(convert(n, S::dtype).integer);
}

template <class S>
typename S::Value stored_real(double value) {
  if constexpr (std::is_floating_point_v<typename S::Value>) return static_cast<typename S::Value>(value);
  return stored_value<S>(Number::of_real(value));
}

template <class S>
Number loaded_value(const std::uint8_t* bytes) {
  typename S::Value value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (std::is_floating_point_v<typename S::Value>) return Number::of_real(value);
  return Number::of(S::dtype == Dtype::boolean ? value != 0 : static_cast<std::int64_t>(value));
}

/// Calls f(bytes of element i, i) along a stretch.
template <class F>
void along(std::uint8_t* bytes, std::int64_t stride, std::int64_t count, F f) {
  for (std::int64_t i = 0; i < count; ++i) f(bytes + i * stride, static_cast<std::size_t>(i));
}

void mark_run(const Array& array, std::int64_t at, std::int64_t stride, std::int64_t count, bool defined) {
  const std::int64_t width = item_bytes(array.at.dtype), run = stride == 1 ? count * width : width;
  const Memory& m = array.memory;
  for (std::int64_t i = 0; i < (stride == 1 ? std::min<std::int64_t>(count, 1) : count); ++i) {
    const std::int64_t byte = (at + i * stride) * width;
    std::memset(m.defined + byte, defined ? 1 : 0, static_cast<std::size_t>(run));
    std::fill_n(m.writer + byte, run, m.step);
  }
}

/// True if all flags are set. T is as wide as an element. Flags are 0 or 1.
template <class T>
bool flags_set(const std::uint8_t* flags, std::int64_t stride, std::int64_t count) {
  T least = static_cast<T>(~T{}), each = 0;
  for (std::int64_t i = 0; i < count; ++i, flags += stride * static_cast<std::int64_t>(sizeof(T))) {
    std::memcpy(&each, flags, sizeof each);
    least &= each;
  }
  return count == 0 || least == static_cast<T>(~T{}) / 0xff;
}

/// `size`: bytes of an element.
template <std::size_t size>
void move_elements(const std::uint8_t* from, std::int64_t from_stride, std::uint8_t* to,
                   std::int64_t to_stride, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * to_stride * static_cast<std::int64_t>(size),
                from + i * from_stride * static_cast<std::int64_t>(size), size);
}

void move_bytes(const std::uint8_t* from, std::int64_t from_stride, std::uint8_t* to, std::int64_t to_stride,
                std::int64_t count, std::int64_t width) {
  if (count == 0) return;  // an empty tensor may have no bytes at all
  if (from_stride == 1 && to_stride == 1)
    std::memmove(to, from, static_cast<std::size_t>(count * width));
  else if (width == 1)
    move_elements<1>(from, from_stride, to, to_stride, count);
  else if (width == 2)
    move_elements<2>(from, from_stride, to, to_stride, count);
  else if (width == 4)
    move_elements<4>(from, from_stride, to, to_stride, count);
  else if (width == 8)
    move_elements<8>(from, from_stride, to, to_stride, count);
  else
    move_elements<16>(from, from_stride, to, to_stride, count);
}

}  // namespace

Sweep::Sweep(const Extents& shape, const std::vector<const Geometry*>& arrays) : strides_(arrays.size()) {
  for (const Geometry* g : arrays) first_.push_back(g->offset);
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    bool joins = !sizes_.empty() && sizes_.back() != 0 && shape[d] != 0;
    Extents strides;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const Geometry& g = *arrays[i];
      const std::size_t skip = shape.size() - g.shape.size();
      strides.push_back(d < skip || g.shape[d - skip] == 1 ? 0 : g.stride[d - skip]);
      joins = joins && strides[i] == strides_[i].back() * sizes_.back();
    }
    if (joins) {
      sizes_.back() *= shape[d];
      continue;
    }
    sizes_.push_back(shape[d]);
    for (std::size_t i = 0; i < arrays.size(); ++i) strides_[i].push_back(strides[i]);
  }
  if (!sizes_.empty()) return;
  sizes_.push_back(1);
  for (Extents& strides : strides_) strides.push_back(1);
}

bool runs_freely(const Call& call, const Array& array) {
  if (call.watched || call.backwards || array.at.conjugated) return false;
  const std::int64_t width = item_bytes(array.at.dtype);
  const auto end = reach(array.at);
  return width != 0 && end && *end <= array.memory.size / width;
}

bool keeps_step(const Array& from, const Array& to) {
  const bool apart = from.memory.bytes != to.memory.bytes || from.memory.bytes == nullptr;
  return apart || (from.at == to.at && is_dense(to.at));
}

bool run_defined(const Array& array, std::int64_t at, std::int64_t stride, std::int64_t count) {
  const std::int64_t width = item_bytes(array.at.dtype);
  const std::uint8_t* defined = array.memory.defined + at * width;
  if (stride == 1) return std::memchr(defined, 0, static_cast<std::size_t>(count * width)) == nullptr;
  for (std::int64_t i = 0; i < (stride == 0 ? 1 : count); ++i)
    if (std::memchr(defined + i * stride * width, 0, static_cast<std::size_t>(width)) != nullptr)
      return false;
  return true;
}

void load_run(const Array& array, std::int64_t at, std::int64_t stride, std::int64_t count, Number* to,
              std::size_t step) {
  const std::int64_t width = item_bytes(array.at.dtype);
  std::uint8_t* const bytes = array.memory.bytes + at * width;
  const bool typed = with_stored(array.at.dtype, [&](auto type) {
    along(bytes, stride * width, count,
          [&](const std::uint8_t* b, std::size_t i) { to[i * step] = loaded_value<decltype(type)>(b); });
  });
  if (!typed)
    along(bytes, stride * width, count,
          [&](const std::uint8_t* b, std::size_t i) { to[i * step] = load_number(array.at.dtype, b); });
}

void load_reals(const Array& array, std::int64_t at, std::int64_t stride, std::int64_t count, double* to) {
  const std::int64_t width = item_bytes(array.at.dtype);
  std::uint8_t* const bytes = array.memory.bytes + at * width;
  const bool typed = with_stored(array.at.dtype, [&](auto type) {
    along(bytes, stride * width, count,
          [&](const std::uint8_t* b, std::size_t i) { to[i] = loaded_value<decltype(type)>(b).as_real(); });
  });
  if (!typed)
    along(bytes, stride * width, count,
          [&](const std::uint8_t* b, std::size_t i) { to[i] = load_number(array.at.dtype, b).as_real(); });
}

void store_run(const Array& array, std::int64_t at, std::int64_t stride, std::int64_t count,
               const Number* from, bool defined) {
  const std::int64_t width = item_bytes(array.at.dtype);
  std::uint8_t* const bytes = array.memory.bytes + at * width;
  const bool typed = with_stored(array.at.dtype, [&](auto type) {
    along(bytes, stride * width, count, [&](std::uint8_t* b, std::size_t i) {
      const auto value = stored_value<decltype(type)>(from[i]);
      std::memcpy(b, &value, sizeof value);
    });
  });
  if (!typed)
    along(bytes, stride * width, count,
          [&](std::uint8_t* b, std::size_t i) { store_number(array.at.dtype, b, from[i]); });
  mark_run(array, at, stride, count, defined);
}

void store_reals(const Array& array, std::int64_t at, std::int64_t stride, std::int64_t count,
                 const double* from, bool defined) {
  const std::int64_t width = item_bytes(array.at.dtype);
  std::uint8_t* const bytes = array.memory.bytes + at * width;
  const bool typed = with_stored(array.at.dtype, [&](auto type) {
    along(bytes, stride * width, count, [&](std::uint8_t* b, std::size_t i) {
      const auto value = stored_real<decltype(type)>(from[i]);
      std::memcpy(b, &value, sizeof value);
    });
  });
  if (!typed)
    along(bytes, stride * width, count,
          [&](std::uint8_t* b, std::size_t i) { store_number(array.at.dtype, b, Number::of_real(from[i])); });
  mark_run(array, at, stride, count, defined);
}

void move_run(const Array& from, std::int64_t from_at, std::int64_t from_stride, const Array& to,
              std::int64_t to_at, std::int64_t to_stride, std::int64_t count) {
  const std::int64_t width = item_bytes(to.at.dtype);
  const Memory &a = from.memory, &b = to.memory;
  mark_run(to, to_at, to_stride, count, true);
  move_bytes(a.bytes + from_at * width, from_stride, b.bytes + to_at * width, to_stride, count, width);
  move_bytes(a.defined + from_at * width, from_stride, b.defined + to_at * width, to_stride, count, width);
}

}  // namespace noclobber
