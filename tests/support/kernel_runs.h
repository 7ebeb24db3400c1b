// Runs a kernel of the interpreter on columns of bits.
#pragma once
#include <cmath>
#include <cstring>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/kernels/kernels.h"

namespace noclobber::kernel_runs {

using Bits = std::uint64_t;  // of one element
using Column = std::vector<Bits>;

inline constexpr Dtype kTypes[] = {Dtype::f64, Dtype::f32, Dtype::f16,    Dtype::bf16, Dtype::i64,
                                   Dtype::i32, Dtype::i16, Dtype::i8,     Dtype::u64,  Dtype::u32,
                                   Dtype::u16, Dtype::u8,  Dtype::boolean};

inline Bits stored(Dtype type, const Number& value) {
  std::uint8_t bytes[16] = {};
  store_number(type, bytes, convert(value, type));
  Bits out = 0;
  std::memcpy(&out, bytes, sizeof out);
  return out;
}
inline Number loaded(Dtype type, Bits bits) {
  std::uint8_t bytes[16] = {};
  std::memcpy(bytes, &bits, sizeof bits);
  return load_number(type, bytes);
}

/// All values of a small type; else edges and random bits.
inline Column values_of(Dtype type) {
  Column out;
  if (type == Dtype::boolean) return {0, 1};
  const int bits = bit_width(type);
  if (bits <= 16) {
    for (Bits k = 0; k < Bits{1} << bits; ++k) out.push_back(k);
    return out;
  }
  for (const double x :
       {0.0, -0.0, 0.5, 1.0, -1.0, 1.5, 16777216.0, 16777217.0, 9007199254740992.0, 1e30, -1e300,
        std::ldexp(1.0, -149), std::ldexp(1.0, -1074), HUGE_VAL, -HUGE_VAL, std::nan("")})
    if (is_floating(type)) out.push_back(stored(type, Number::of_real(x)));
  for (const std::int64_t x : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{16777217},
                               std::int64_t{9007199254740993}, INT64_MIN, INT64_MAX, std::int64_t{INT32_MIN},
                               std::int64_t{INT32_MAX}})
    if (!is_floating(type)) out.push_back(stored(type, Number::of(x)));
  std::mt19937_64 random(static_cast<unsigned>(type) + 20261125);
  const Bits mask = bits == 64 ? ~Bits{0} : (Bits{1} << bits) - 1;
  for (int k = 0; k < 500; ++k) out.push_back(random() & mask);
  return out;
}

class Kernel {
 public:
  /// Of `elements` of a type, in the shape that is given or one after the other.
  Datum tensor(Dtype type, const Column& elements, std::optional<Extents> shape = {}) {
    const auto width = static_cast<std::size_t>(item_bytes(type));
    Buffer& all = held_.emplace_back();
    all.bytes.resize(width * elements.size());
    all.defined.assign(all.bytes.size(), 1);
    all.writer.assign(all.bytes.size(), -1);
    for (std::size_t k = 0; k < elements.size(); ++k)
      std::memcpy(all.bytes.data() + k * width, &elements[k], width);
    const Extents own = shape.value_or(Extents{static_cast<std::int64_t>(elements.size())});
    Array out{{type, own, contiguous_strides(own), 0}, {}};
    out.memory = {all.bytes.data(),
                  all.defined.data(),
                  all.writer.data(),
                  static_cast<std::int64_t>(all.bytes.size()),
                  static_cast<std::uint32_t>(held_.size()),
                  0};
    return Datum::of(out);
  }
  Datum number(Dtype type, std::int64_t value) {
    return tensor(type, {stored(type, Number::of(value))}, Extents{});
  }
  /// What the operator gives; no type: the kernel does not take that.
  std::pair<std::optional<Dtype>, Column> run(const std::string& op, std::vector<Datum> args) {
    const KernelRow* row = find_kernel(op);
    if (row == nullptr) return {};
    Call call;
    call.budget = call.memory_left = 1 << 26;
    call.first_id = 1000;
    call.args = std::move(args);
    run_kernel(*row, call);
    if (!call.ok()) return {};
    const Array& result = call.results.at(0).tensor;
    Column out;
    for (std::int64_t k = 0; k < result.at.numel(); ++k)
      out.push_back(stored(result.at.dtype, call.load(result, result.at.offset + k)));
    return {result.at.dtype, out};
  }

 private:
  std::deque<Buffer> held_;
};

/// The same number, whichever NaN it is.
inline bool alike(Dtype type, Bits a, Bits b) {
  return a == b || (is_floating(type) && std::isnan(loaded(type, a).re) && std::isnan(loaded(type, b).re));
}

}  // namespace noclobber::kernel_runs
