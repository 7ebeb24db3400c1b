// Element types, as FX text and noclobber.case/1 name them.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace noclobber {

enum class Dtype : std::uint8_t {
  f64,
  f32,
  f16,
  bf16,
  f8e4m3fn,
  f8e5m2,
  i64,
  i32,
  i16,
  i8,
  i4,
  u64,
  u32,
  u16,
  u8,
  u4,
  boolean,
  c64,
  c128,
  other,  // a type of unknown width (quantized, sub-byte floats): nothing is proved about its bytes
};

/// Width in bits; 4 for i4/u4 (packed two to a byte), 0 for `other`.
int bit_width(Dtype type);
/// "f32", "bool", ...; `other` prints "other".
std::string_view name(Dtype type);
/// From "f32", "bool", FX's "b8" and "bool", "c64"...; empty for an unknown name.
std::optional<Dtype> parse_dtype(std::string_view text);
/// From PyTorch's own names: "float32", "torch.float32", "int64", "bfloat16", "bool".
std::optional<Dtype> parse_torch_dtype(std::string_view text);
/// "float32" for f32 and so on.
std::string_view torch_name(Dtype type);
bool is_floating(Dtype type);
bool is_complex(Dtype type);
bool is_signed(Dtype type);
/// True if f32, f16 or bf16 represents the number exactly; subnormals of f16 and bf16 count as inexact.
/// Always true for 0, infinities and NaN, and for all other types.
bool holds_exactly(Dtype type, double number);

}  // namespace noclobber
