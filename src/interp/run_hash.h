// A digest of everything a call reads, and plausible values made from it.
#pragma once
#include <cstdint>
#include <string_view>

#include "src/ops/kernels.h"

namespace noclobber {

/// 64 bits that depend on everything added, in order.
class Digest {
 public:
  void add(std::uint64_t bits);
  void add(std::string_view text);
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3U;
};

/// One element's bits, undefined or not. Reading goes through the call, for its bounds.
void add_element(Digest& digest, Call& call, const Array& array, std::int64_t at);
/// Kind and content; of tensors dtype, shape and every element in row-major order.
void add_datum(Digest& digest, Call& call, const Datum& datum);
/// A finite value of the dtype: floats k/8 within ±8, integers 0 to 3, a bit for bool.
Number plausible(Dtype type, std::uint64_t bits);

}  // namespace noclobber
