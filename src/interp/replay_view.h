// Concrete views as sets of bytes of their storage.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/interp/interp.h"

namespace noclobber {

/// Half-open, in bytes of one storage; empty if first == last.
struct ByteRange {
  std::int64_t first = 0, last = 0;
  bool empty() const { return first == last; }
};

std::int64_t element_count(const Tensor& view);
/// From the first byte covered to one past the last; {0, 0} if the view has no element.
ByteRange byte_extent(const Tensor& view);
/// Byte at which each element starts, row-major.
std::vector<std::int64_t> element_bytes(const Tensor& view);
/// One flag per byte of the storage: 1 if the view covers it.
std::vector<std::uint8_t> shown_bytes(const Tensor& view, std::size_t storage_size);
/// True if the views cover a common byte. False if their storages differ.
bool share_bytes(const Tensor& a, const Tensor& b);
/// Extent of the bytes that both cover; empty if none.
ByteRange shared_extent(const Tensor& a, const Tensor& b);
/// True if two indices map to one byte.
bool repeats_bytes(const Tensor& view);
/// True if both map every index to the same bytes (strides of dimensions of size 1 do not count).
bool same_map(const Tensor& a, const Tensor& b);
/// Index of the row-major element number `at`.
std::vector<std::int64_t> index_of(const std::vector<std::int64_t>& shape, std::int64_t at);

/// Bytes of one element, at least 1; 4-bit types take one byte each, as in kernels.
std::size_t element_width(Dtype type);
/// True if the elements are equal: bit for bit, or as numbers, with all NaN alike and zeros alike. Both spans
/// hold one element.
bool same_element(Dtype type, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);
/// Text of an element: "-6", "0.5", "nan", "true", "(1, -2)".
std::string element_text(Dtype type, std::span<const std::uint8_t> bytes);
/// The element as a number; of a complex one, the real part. 0 for Dtype::other.
double element_number(Dtype type, std::span<const std::uint8_t> bytes);
/// "[1, 0]"
std::string index_text(const std::vector<std::int64_t>& index);

}  // namespace noclobber
