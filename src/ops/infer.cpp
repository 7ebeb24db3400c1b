#include "src/ops/infer.h"

#include <algorithm>
#include <array>

namespace noclobber {
namespace {

bool one_of(std::string_view op, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

bool is_comparison(std::string_view op) {
  return one_of(op, {"aten.eq", "aten.ne", "aten.lt", "aten.le", "aten.gt", "aten.ge", "aten.logical_and",
                     "aten.logical_or", "aten.logical_not", "aten.logical_xor", "aten.isnan", "aten.isinf"});
}

bool gives_float(std::string_view op) {
  return one_of(
      op, {"aten.div", "aten.reciprocal", "aten.sqrt", "aten.rsqrt", "aten.exp", "aten.exp2", "aten.log",
           "aten.sin", "aten.cos", "aten.tanh", "aten.sigmoid", "aten.erf", "aten.log1p", "aten.expm1"});
}

bool has_float_scalar(const std::vector<Arg>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const Arg& a) { return a.kind == Arg::Kind::real; });
}

std::optional<InferredMeta> pointwise(Sizes& sizes, std::string_view op, const std::vector<Arg>& arguments,
                                      const std::vector<TensorMeta>& tensors) {
  if (tensors.empty()) return std::nullopt;
  InferredMeta out{tensors[0].shape, tensors[0].dtype};
  bool mixed_ranks = false;
  for (std::size_t k = 1; k < tensors.size(); ++k) {
    auto shape = broadcast(sizes.space(), out.shape, tensors[k].shape);
    if (!shape) return std::nullopt;
    mixed_ranks = mixed_ranks || tensors[k].shape.empty() != tensors[0].shape.empty();
    out.shape = std::move(*shape);
    out.dtype = promoted(*out.dtype, tensors[k].dtype);
  }
  const bool integral = type_category(*out.dtype) < 2;
  if (is_comparison(op)) return InferredMeta{out.shape, Dtype::boolean};
  if (op == "aten.where" ||
      (mixed_ranks && !std::all_of(tensors.begin(), tensors.end(),
                                   [&](const TensorMeta& t) { return t.dtype == tensors[0].dtype; })))
    return InferredMeta{out.shape,
                        op == "aten.where" && tensors.size() == 3 && tensors[1].dtype == tensors[2].dtype
                            ? std::optional(tensors[1].dtype)
                            : std::nullopt};
  if (integral && (gives_float(op) || has_float_scalar(arguments))) out.dtype = Dtype::f32;
  return out;
}

std::optional<InferredMeta> product(Sizes& sizes, std::string_view op,
                                    const std::vector<TensorMeta>& tensors) {
  const std::size_t first = op == "aten.addmm" || op == "aten.baddbmm" ? 1 : 0;
  if (tensors.size() < first + 2) return std::nullopt;
  const TensorMeta& a = tensors[first];
  const TensorMeta& b = tensors[first + 1];
  const std::size_t rank = op == "aten.bmm" || op == "aten.baddbmm" ? 3 : 2;
  const std::size_t right = op == "aten.mv" ? 1 : rank;
  if (a.shape.size() != rank || b.shape.size() != right ||
      !sizes.space().same(a.shape.back(), b.shape[right == 1 ? 0 : right - 2]))
    return std::nullopt;
  Shape shape(a.shape.begin(), a.shape.end() - 1);
  if (right > 1) shape.push_back(b.shape.back());
  return InferredMeta{shape, a.dtype};
}

std::optional<InferredMeta> reduction(Sizes& sizes, std::string_view op, const std::vector<Arg>& arguments,
                                      const std::vector<TensorMeta>& tensors) {
  if (tensors.size() != 1) return std::nullopt;
  const std::size_t rank = tensors[0].shape.size();
  std::vector<bool> gone(rank, true);
  if (arguments.size() > 1 && arguments[1].kind == Arg::Kind::list && !arguments[1].list.empty()) {
    gone.assign(rank, false);
    for (const Arg& a : arguments[1].list) {
      if (a.kind != Arg::Kind::sym || !a.sym.is_constant()) return std::nullopt;
      const std::int64_t dim =
          a.sym.constant() < 0 ? a.sym.constant() + static_cast<std::int64_t>(rank) : a.sym.constant();
      if (dim < 0 || dim >= static_cast<std::int64_t>(rank)) return std::nullopt;
      gone[static_cast<std::size_t>(dim)] = true;
    }
  } else if (arguments.size() > 1 && arguments[1].kind == Arg::Kind::sym) {
    return std::nullopt;
  }
  const bool keep = arguments.size() > 2 && arguments[2].kind == Arg::Kind::boolean && arguments[2].boolean;
  InferredMeta out{{}, tensors[0].dtype};
  for (std::size_t k = 0; k < rank; ++k)
    if (!gone[k] || keep) out.shape.push_back(gone[k] ? sizes.space().constant(1) : tensors[0].shape[k]);
  if (op == "aten.sum" && type_category(tensors[0].dtype) < 2) out.dtype = Dtype::i64;
  return out;
}

}  // namespace

int type_category(Dtype type) {
  if (is_complex(type)) return 3;
  if (is_floating(type)) return 2;
  return type == Dtype::boolean ? 0 : 1;
}

Dtype promoted(Dtype a, Dtype b) {
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

std::optional<InferredMeta> infer_meta(Sizes& sizes, std::string_view op, const Schema& schema,
                                       const std::vector<Arg>& arguments,
                                       const std::vector<TensorMeta>& tensors) {
  if (schema.has(Tag::pointwise) || is_comparison(op) || op == "prims.fma")
    return pointwise(sizes, op, arguments, tensors);
  if (one_of(op, {"aten.mm", "aten.bmm", "aten.mv", "aten.addmm", "aten.baddbmm"}))
    return product(sizes, op, tensors);
  if (one_of(op, {"aten.sum", "aten.mean", "aten.amax", "aten.amin"}))
    return reduction(sizes, op, arguments, tensors);
  if (tensors.empty()) return std::nullopt;
  if (op == "aten.cumsum" || op == "aten.cumprod") {
    return InferredMeta{tensors[0].shape,
                        type_category(tensors[0].dtype) < 2 ? Dtype::i64 : tensors[0].dtype};
  }
  if (one_of(op, {"aten.index_put", "aten._unsafe_index_put", "aten.scatter", "aten.scatter_add",
                  "aten.scatter_reduce", "aten.index_add", "aten.index_copy", "aten.index_fill",
                  "aten.masked_fill", "aten.flip", "aten.roll", "aten.tril", "aten.triu", "aten._softmax",
                  "aten._log_softmax", "aten.masked_scatter", "prims.rev"})) {
    return InferredMeta{tensors[0].shape, op == "aten._softmax" || op == "aten._log_softmax"
                                              ? std::nullopt
                                              : std::optional(tensors[0].dtype)};
  }
  return std::nullopt;
}

}  // namespace noclobber
