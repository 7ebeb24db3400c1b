#include "src/graph/constant_bytes.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "checker/text/hash.h"

namespace noclobber {
namespace {

constexpr std::int64_t kMostGrown = 64;  // most bytes of a tensor per byte of its storage (expanded tensors)

template <class T>
void add_numbers(std::string_view bytes, std::vector<Arg>& out) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T number{};
    std::memcpy(&number, bytes.data() + at, sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      out.push_back(Arg::of_real(static_cast<double>(number)));
    } else {
      out.push_back(Arg::of(SymExpr(static_cast<std::int64_t>(number))));
    }
  }
}

/// Number of elements of the tensor, and the end of the elements of the storage that it covers.
struct Extent {
  std::int64_t count = 1, end = 0;
};

std::optional<Extent> extent_of(const ConstantLayout& layout) {
  Extent out;
  out.end = layout.offset;
  if (layout.offset < 0 || layout.sizes.size() != layout.strides.size()) return std::nullopt;
  for (std::size_t k = 0; k < layout.sizes.size(); ++k) {
    const std::int64_t size = layout.sizes[k], stride = layout.strides[k];
    std::int64_t span = 0;
    if (size < 0 || stride < 0 || __builtin_mul_overflow(out.count, size, &out.count)) return std::nullopt;
    if (__builtin_mul_overflow(std::max<std::int64_t>(size, 1) - 1, stride, &span)) return std::nullopt;
    if (__builtin_add_overflow(out.end, span, &out.end)) return std::nullopt;
  }
  if (out.count > 0 && __builtin_add_overflow(out.end, 1, &out.end)) return std::nullopt;
  return out;
}

/// Appends the elements over the dimensions from `dim` on. `at`: element of the storage.
void gather(std::string_view storage, const ConstantLayout& layout, std::size_t width, std::size_t dim,
            std::int64_t at, std::string& out) {
  if (dim == layout.sizes.size()) {
    out.append(storage.substr(static_cast<std::size_t>(at) * width, width));
    return;
  }
  for (std::int64_t k = 0; k < layout.sizes[dim]; ++k)
    gather(storage, layout, width, dim + 1, at + k * layout.strides[dim], out);
}

bool is_row_major(const ConstantLayout& layout) {
  std::int64_t stride = 1;
  for (std::size_t k = layout.sizes.size(); k-- > 0;) {
    if (layout.sizes[k] != 1 && layout.strides[k] != stride) return false;
    stride *= layout.sizes[k];
  }
  return true;
}

}  // namespace

std::optional<std::string> row_major(std::string_view storage, const ConstantLayout& layout) {
  const int bits = bit_width(layout.dtype);
  const auto extent = extent_of(layout);
  if (bits == 0 || bits % 8 != 0 || !extent) return std::nullopt;
  const auto width = static_cast<std::size_t>(bits / 8);
  const auto held = static_cast<std::int64_t>(storage.size() / width);
  if (extent->count == 0) return "";
  if (extent->end > held || extent->count / kMostGrown > held) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(extent->count) * width;
  if (is_row_major(layout))
    return std::string(storage.substr(static_cast<std::size_t>(layout.offset) * width, bytes));
  std::string out;
  out.reserve(bytes);
  gather(storage, layout, width, 0, layout.offset, out);
  return out;
}

std::optional<std::vector<Arg>> numbers_of(std::string_view bytes, Dtype dtype) {
  std::vector<Arg> out;
  if (dtype == Dtype::f32) add_numbers<float>(bytes, out);
  if (dtype == Dtype::f64) add_numbers<double>(bytes, out);
  if (dtype == Dtype::i64) add_numbers<std::int64_t>(bytes, out);
  if (dtype == Dtype::i32) add_numbers<std::int32_t>(bytes, out);
  if (dtype == Dtype::i16) add_numbers<std::int16_t>(bytes, out);
  if (dtype == Dtype::i8) add_numbers<std::int8_t>(bytes, out);
  if (dtype == Dtype::u8) add_numbers<std::uint8_t>(bytes, out);
  if (dtype == Dtype::boolean)
    for (const char byte : bytes) out.push_back(Arg::of_bool(byte != 0));
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

std::string digest_of(std::string_view bytes) { return sha256(bytes); }

}  // namespace noclobber
