// Contents of constants as bytes in row-major order, whatever their layout in a file, so that the contents of
// a constant in two files can be compared by digest.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// Layout of a tensor in its storage; strides and offset count elements.
struct ConstantLayout {
  Dtype dtype = Dtype::other;
  std::vector<std::int64_t> sizes, strides;
  std::int64_t offset = 0;
};

/// The bytes of the tensor in row-major order. Empty if it does not lie within `storage`, if a stride is
/// negative, if its elements are not whole bytes, or if it is more than about 64 times as large as `storage`.
std::optional<std::string> row_major(std::string_view storage, const ConstantLayout& layout);

/// The elements as numbers. Empty if there are none, and for dtypes other than f32, f64, signed integers of
/// whole bytes, u8 and boolean.
std::optional<std::vector<Arg>> numbers_of(std::string_view bytes, Dtype dtype);

/// SHA-256 in hexadecimal.
std::string digest_of(std::string_view bytes);

/// Contents of at most this many bytes are kept besides their digest.
inline constexpr std::size_t kKeptConstant = std::size_t{1} << 18;

}  // namespace noclobber
