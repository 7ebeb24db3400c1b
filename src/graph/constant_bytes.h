// Contents of constants as bytes in row-major order, whatever order a file keeps them in: what two files say
// of one constant can then be compared by a digest.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// Where a tensor lies in its storage; strides and offset count elements.
struct ConstantLayout {
  Dtype dtype = Dtype::other;
  std::vector<std::int64_t> sizes, strides;
  std::int64_t offset = 0;
};

/// Nothing where the tensor does not lie within `storage`, or its elements are no whole bytes.
std::optional<std::string> row_major(std::string_view storage, const ConstantLayout& layout);

/// Nothing for types that are not plain ones.
std::optional<std::vector<Arg>> numbers_of(std::string_view bytes, Dtype dtype);

/// SHA-256 in hexadecimal.
std::string digest_of(std::string_view bytes);

/// Bytes of what is kept besides its digest.
inline constexpr std::size_t kKeptConstant = std::size_t{1} << 18;

}  // namespace noclobber
