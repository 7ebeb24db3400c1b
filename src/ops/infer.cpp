#include "src/ops/infer.h"

#include <algorithm>

#include "src/ops/row.h"
#include "src/ops/shape_rules.h"
#include "src/ops/view_rules.h"

namespace noclobber {

const Arg* ShapeCall::argument(std::string_view name) const {
  for (std::size_t k = 0; k < std::min(schema.arguments.size(), arguments.size()); ++k)
    if (schema.arguments[k].name == name)
      return arguments[k].kind == Arg::Kind::none ? nullptr : &arguments[k];
  return nullptr;
}

std::optional<std::int64_t> ShapeCall::integer(std::string_view name,
                                               std::optional<std::int64_t> fallback) const {
  const Arg* arg = argument(name);
  if (arg == nullptr) return fallback;
  if (arg->kind != Arg::Kind::sym || !arg->sym.is_constant()) return std::nullopt;
  return arg->sym.constant();
}

std::optional<std::size_t> ShapeCall::dim(std::string_view name, std::size_t rank,
                                          std::optional<std::int64_t> fallback) const {
  const auto said = integer(name, fallback);
  return said ? view_rules::wrapped(*said, std::max<std::size_t>(rank, 1)) : std::nullopt;
}

bool ShapeCall::is_true(std::string_view name) const {
  const Arg* arg = argument(name);
  return arg != nullptr && arg->kind == Arg::Kind::boolean && arg->boolean;
}

std::vector<Arg> ShapeCall::items(std::string_view name) const {
  const Arg* arg = argument(name);
  if (arg == nullptr) return {};
  return arg->kind == Arg::Kind::list ? *arg->list : std::vector<Arg>{*arg};
}

int type_category(Dtype type) {
  if (is_complex(type)) return 3;
  if (is_floating(type)) return 2;
  return type == Dtype::boolean ? 0 : 1;
}

Dtype promoted(Dtype a, Dtype b) {
  if ((a == Dtype::c64 && b == Dtype::f64) || (a == Dtype::f64 && b == Dtype::c64)) return Dtype::c128;
  if (a == b || type_category(a) > type_category(b)) return a;
  if (type_category(b) > type_category(a)) return b;
  if (type_category(a) == 2 && bit_width(a) == bit_width(b)) return Dtype::f32;  // f16 with bf16
  if (type_category(a) == 1 && is_signed(a) != is_signed(b)) {
    const Dtype plain = is_signed(a) ? b : a;
    const Dtype with_sign = is_signed(a) ? a : b;
    if (bit_width(with_sign) > bit_width(plain)) return with_sign;
    return bit_width(plain) == 8 ? Dtype::i16 : bit_width(plain) == 16 ? Dtype::i32 : Dtype::i64;
  }
  return bit_width(a) >= bit_width(b) ? a : b;
}

std::optional<Shape> broadcast(Space& space, const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  const std::size_t lead = longer.size() - shorter.size();
  for (std::size_t k = 0; k < shorter.size(); ++k) {
    const PolyId x = longer[lead + k];
    const PolyId y = shorter[k];
    if (space.same(x, y) || space.value(y) == 1) continue;
    if (space.value(x) != 1) return std::nullopt;
    out[lead + k] = y;
  }
  return out;
}

bool has_shape_rule(std::string_view op) {
  const OpRow* row = find_row(op);
  return row != nullptr && (row->shape != nullptr || row->fits != nullptr);
}

bool is_refused(const ShapeCall& call) {
  const OpRow* row = find_row(call.op);
  return row != nullptr && row->fits != nullptr && !row->fits(call);
}

std::vector<InferredMeta> infer_meta(const ShapeCall& call) {
  if (is_refused(call)) return {};
  const OpRow* row = find_row(call.op);
  if (row != nullptr && row->shape != nullptr) return row->shape(call);
  return is_elementwise(call.op, call.schema) ? shape_rules::pointwise_shape(call)
                                              : std::vector<InferredMeta>{};
}

}  // namespace noclobber
