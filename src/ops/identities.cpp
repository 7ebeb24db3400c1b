#include "src/ops/identities.h"

#include <algorithm>
#include <array>
#include <map>

#include "src/base/name_table.h"
#include "src/ops/fold_rules.h"

namespace noclobber {
namespace identity_table {

using namespace fold_rules;
using enum Identity::Form;

constexpr Dtypes kIntegers{Dtype::i64, Dtype::i32, Dtype::i16, Dtype::i8, Dtype::i4,
                           Dtype::u64, Dtype::u32, Dtype::u16, Dtype::u8, Dtype::u4};
constexpr Dtypes kReals{Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16};
constexpr Dtypes kBool{Dtype::boolean};
constexpr Dtypes kRoundedOnce{Dtype::f64, Dtype::f32};  // narrower types are computed in f32

#define IDENTITY(row, kind, first, second, ...) \
  Identity{.name = row, .form = kind, .op = first, .also = second, __VA_ARGS__},
constexpr auto kRows = std::to_array<Identity>({
#include "src/ops/identities.def"
});
#undef IDENTITY

}  // namespace identity_table

std::span<const Identity> identities() { return identity_table::kRows; }

const Identity* find_identity(Identity::Form form, std::string_view op) {
  static const auto rows = [] {
    std::map<std::string_view, std::vector<const Identity*>> all;
    for (const Identity& row : identities())
      for (const std::string_view name : {row.op, row.also})
        if (name.data() == row.op.data() || !name.empty()) all[name].push_back(&row);
    NameTable<std::vector<const Identity*>> out(all.size());
    for (auto& [name, own] : all) out.add(name, std::move(own));
    return out;
  }();
  if (const auto* own = rows.find(op))
    for (const Identity* row : *own)
      if (row->form == form) return row;
  return nullptr;
}

std::string_view product_of(std::string_view op) {
  if (const Identity* row = find_identity(Identity::Form::fused, op)) return row->other;
  const bool product = std::ranges::any_of(identities(), [&](const Identity& row) {
    return row.form == Identity::Form::fused && row.other == op;
  });
  return product ? op : std::string_view();
}

bool tells_zeros_apart(std::string_view op, std::span<const std::string_view> arguments, std::size_t k) {
  struct Telling {
    std::string_view op;
    std::size_t argument;
  };
  static constexpr auto kAll = std::to_array<Telling>({
      {"addcdiv", 2},
      {"arctan2", 0},
      {"arctan2", 1},
      {"atan2", 0},
      {"atan2", 1},
      {"copysign", 1},
      {"div", 1},
      {"divide", 1},
      {"float_power", 0},
      {"floor_divide", 1},
      {"logit_backward", 1},
      {"pow", 0},
      {"reciprocal", 0},
      {"rsqrt", 0},
      {"signbit", 0},
      {"true_divide", 1},
  });
  const std::size_t dot = op.find('.');
  const std::string_view stem = op.substr(dot + 1, op.find('.', dot + 1) - dot - 1);
  const bool power = arguments.size() > 1 && arguments[1] != "T" && !arguments[1].starts_with('-');
  return std::ranges::any_of(kAll, [&](const Telling& t) {
    return t.op == stem && t.argument == k && !(power && t.op.ends_with("pow"));
  });
}

bool holds_whole(Dtype type, std::int64_t value) {
  if (type == Dtype::boolean) return value == 0 || value == 1;
  if (is_complex(type) || type == Dtype::other) return false;
  if (is_floating(type)) {
    const std::int64_t most = type == Dtype::f64    ? std::int64_t{1} << 53
                              : type == Dtype::f32  ? 1 << 24
                              : type == Dtype::f16  ? 1 << 11
                              : type == Dtype::bf16 ? 1 << 8
                                                    : 0;
    return most > 0 && value >= -most && value <= most;
  }
  const int bits = bit_width(type);
  if (!is_signed(type)) return value >= 0 && (bits >= 63 || value < std::int64_t{1} << bits);
  return bits == 64 || (value >= -(std::int64_t{1} << (bits - 1)) && value < std::int64_t{1} << (bits - 1));
}

bool holds_all(Dtype to, Dtype from) {
  const auto is_half = [](Dtype type) { return type == Dtype::f16 || type == Dtype::bf16; };
  if (is_floating(from))
    return (is_half(from) && to == Dtype::f32) || ((is_half(from) || from == Dtype::f32) && to == Dtype::f64);
  const int bits = from == Dtype::boolean ? 1 : bit_width(from) - (is_signed(from) ? 1 : 0);
  if (is_complex(from) || from == Dtype::other || bits >= 63) return false;
  const std::int64_t most = (std::int64_t{1} << bits) - 1;
  return holds_whole(to, most) && (!is_signed(from) || holds_whole(to, -most - 1));
}

/// An out-of-range real converts differently from one type than from another.
bool converts_alike(Dtype from, Dtype between, Dtype to) {
  if (is_complex(to) || to == Dtype::other) return to == from;
  return to == from || is_floating(to) || to == Dtype::boolean || !is_floating(between) ||
         (!is_floating(from) && holds_all(to, from));
}

}  // namespace noclobber
