#include "src/graph/dtype.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "src/base/check.h"

namespace noclobber {
namespace {

struct DtypeRow {
  Dtype type;
  int bits;
  std::string_view name;   // here, and in FX except for bool
  std::string_view torch;  // PyTorch's
};

constexpr std::array kDtypes = {
    DtypeRow{Dtype::f64, 64, "f64", "float64"},
    DtypeRow{Dtype::f32, 32, "f32", "float32"},
    DtypeRow{Dtype::f16, 16, "f16", "float16"},
    DtypeRow{Dtype::bf16, 16, "bf16", "bfloat16"},
    DtypeRow{Dtype::f8e4m3fn, 8, "f8e4m3fn", "float8_e4m3fn"},
    DtypeRow{Dtype::f8e5m2, 8, "f8e5m2", "float8_e5m2"},
    DtypeRow{Dtype::i64, 64, "i64", "int64"},
    DtypeRow{Dtype::i32, 32, "i32", "int32"},
    DtypeRow{Dtype::i16, 16, "i16", "int16"},
    DtypeRow{Dtype::i8, 8, "i8", "int8"},
    DtypeRow{Dtype::i4, 4, "i4", "int4"},
    DtypeRow{Dtype::u64, 64, "u64", "uint64"},
    DtypeRow{Dtype::u32, 32, "u32", "uint32"},
    DtypeRow{Dtype::u16, 16, "u16", "uint16"},
    DtypeRow{Dtype::u8, 8, "u8", "uint8"},
    DtypeRow{Dtype::u4, 4, "u4", "uint4"},
    DtypeRow{Dtype::boolean, 8, "bool", "bool"},
    DtypeRow{Dtype::c64, 64, "c64", "complex64"},
    DtypeRow{Dtype::c128, 128, "c128", "complex128"},
    DtypeRow{Dtype::other, 0, "other", "other"},
};

constexpr bool rows_in_order() {
  for (std::size_t at = 0; at < kDtypes.size(); ++at) {
    if (static_cast<std::size_t>(kDtypes[at].type) != at) return false;
  }
  return kDtypes.size() == static_cast<std::size_t>(Dtype::other) + 1;
}
static_assert(rows_in_order());

struct DtypeAlias {
  std::string_view text;
  Dtype type;
};

constexpr std::array kAliases = {
    DtypeAlias{"b8", Dtype::boolean},
    // Types of PyTorch that become `other`, as FX abbreviates them (torch/utils/_dtype_abbrs.py).
    DtypeAlias{"c32", Dtype::other},
    DtypeAlias{"f8e4m3fnuz", Dtype::other},
    DtypeAlias{"f8e5m2fnuz", Dtype::other},
    DtypeAlias{"f8e8m0fnu", Dtype::other},
    DtypeAlias{"f4e2m1fnx2", Dtype::other},
    DtypeAlias{"b16", Dtype::other},
    DtypeAlias{"b1x8", Dtype::other},
};

constexpr std::array kTorchAliases = {
    DtypeAlias{"double", Dtype::f64},
    DtypeAlias{"float", Dtype::f32},
    DtypeAlias{"half", Dtype::f16},
    DtypeAlias{"long", Dtype::i64},
    DtypeAlias{"int", Dtype::i32},
    DtypeAlias{"short", Dtype::i16},
    DtypeAlias{"cfloat", Dtype::c64},
    DtypeAlias{"cdouble", Dtype::c128},
    DtypeAlias{"complex32", Dtype::other},
    DtypeAlias{"chalf", Dtype::other},
    DtypeAlias{"float8_e4m3fnuz", Dtype::other},
    DtypeAlias{"float8_e5m2fnuz", Dtype::other},
    DtypeAlias{"float8_e8m0fnu", Dtype::other},
    DtypeAlias{"float4_e2m1fn_x2", Dtype::other},
    DtypeAlias{"quint8", Dtype::other},
    DtypeAlias{"qint8", Dtype::other},
    DtypeAlias{"qint32", Dtype::other},
    DtypeAlias{"quint4x2", Dtype::other},
    DtypeAlias{"quint2x4", Dtype::other},
    DtypeAlias{"bits16", Dtype::other},
    DtypeAlias{"bits8", Dtype::other},
    DtypeAlias{"bits1x8", Dtype::other},
    DtypeAlias{"bits2x4", Dtype::other},
    DtypeAlias{"bits4x2", Dtype::other},
};

const DtypeRow& dtype_row(Dtype type) {
  const auto at = static_cast<std::size_t>(type);
  NC_CHECK(at < kDtypes.size(), "not a Dtype");
  return kDtypes[at];
}

template <class Aliases>
std::optional<Dtype> find_alias(const Aliases& aliases, std::string_view text) {
  const auto found =
      std::find_if(aliases.begin(), aliases.end(), [&](const auto& row) { return row.text == text; });
  return found == aliases.end() ? std::nullopt : std::optional(found->type);
}

}  // namespace

int bit_width(Dtype type) { return dtype_row(type).bits; }

std::string_view name(Dtype type) { return dtype_row(type).name; }

std::string_view torch_name(Dtype type) { return dtype_row(type).torch; }

std::optional<Dtype> parse_dtype(std::string_view text) {
  for (const DtypeRow& row : kDtypes) {
    if (row.name == text) return row.type;
  }
  return find_alias(kAliases, text);
}

std::optional<Dtype> parse_torch_dtype(std::string_view text) {
  if (text.starts_with("torch.")) text.remove_prefix(6);
  for (const DtypeRow& row : kDtypes) {
    if (row.torch == text) return row.type;
  }
  return find_alias(kTorchAliases, text);
}

bool is_floating(Dtype type) {
  switch (type) {
    case Dtype::f64:
    case Dtype::f32:
    case Dtype::f16:
    case Dtype::bf16:
    case Dtype::f8e4m3fn:
    case Dtype::f8e5m2:
      return true;
    case Dtype::i64:
    case Dtype::i32:
    case Dtype::i16:
    case Dtype::i8:
    case Dtype::i4:
    case Dtype::u64:
    case Dtype::u32:
    case Dtype::u16:
    case Dtype::u8:
    case Dtype::u4:
    case Dtype::boolean:
    case Dtype::c64:
    case Dtype::c128:
    case Dtype::other:
      return false;
  }
  NC_CHECK(false, "not a Dtype");
}

bool is_complex(Dtype type) { return type == Dtype::c64 || type == Dtype::c128; }

bool is_signed(Dtype type) {
  switch (type) {
    case Dtype::i64:
    case Dtype::i32:
    case Dtype::i16:
    case Dtype::i8:
    case Dtype::i4:
      return true;
    case Dtype::u64:
    case Dtype::u32:
    case Dtype::u16:
    case Dtype::u8:
    case Dtype::u4:
    case Dtype::boolean:
    case Dtype::other:
      return false;
    case Dtype::f64:
    case Dtype::f32:
    case Dtype::f16:
    case Dtype::bf16:
    case Dtype::f8e4m3fn:
    case Dtype::f8e5m2:
    case Dtype::c64:
    case Dtype::c128:
      return true;
  }
  NC_CHECK(false, "not a Dtype");
}

bool holds_exactly(Dtype type, double number) {
  if (number == 0 || !std::isfinite(number)) return true;
  if (type == Dtype::f32) return static_cast<double>(static_cast<float>(number)) == number;
  if (type != Dtype::f16 && type != Dtype::bf16) return true;
  const bool half = type == Dtype::f16;
  const int digits = half ? 11 : 8, least = half ? -13 : -125, most = half ? 16 : 128;
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(number, &exponent), digits);
  return scaled == std::trunc(scaled) && exponent >= least && exponent <= most;
}

}  // namespace noclobber
