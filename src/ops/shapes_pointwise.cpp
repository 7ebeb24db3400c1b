// Shapes of results whose elements depend on the elements at the same place.
#include <algorithm>

#include "src/ops/shape_rules.h"

namespace noclobber::shape_rules {
namespace {

/// The category of the Python number that takes part in promotion; 0 if none raises a dtype, which a bool
/// never does. Other numbers, such as alpha, are converted to the dtype of the result.
int scalar_category(const ShapeCall& call) {
  int category = 0;
  for (const char* name : {"self", "other", "exponent", "min", "max"}) {
    const Arg* arg = call.argument(name);
    if (arg == nullptr) continue;
    if (arg->kind == Arg::Kind::sym) category = std::max(category, 1);
    if (arg->kind == Arg::Kind::real) category = std::max(category, 2);
    if (arg->kind == Arg::Kind::text) category = std::max(category, 3);  // a complex number, as written
  }
  return category;
}

/// The dtype of tensors with dimensions; those without only raise its category. Either may be absent. Empty
/// if it matters whether a tensor without dimensions stands for a number: a float is then f32.
std::optional<Dtype> combined(std::optional<Dtype> with, std::optional<Dtype> without) {
  if (!with || !without) return with ? with : without;
  if (type_category(*without) <= type_category(*with)) return with;
  const bool may_be_number = *without == Dtype::f64 || type_category(*without) == 3;
  return may_be_number ? std::nullopt : without;
}

/// The broadcast shape, and the dtype that PyTorch promotes to.
std::optional<InferredMeta> broadcast_all(const ShapeCall& call) {
  const auto& tensors = call.tensors;
  if (tensors.empty()) return std::nullopt;
  InferredMeta out{tensors[0].shape, std::nullopt};
  std::optional<Dtype> with, without;
  for (const TensorMeta& t : tensors) {
    auto shape = broadcast(call.sizes.space(), out.shape, t.shape);
    if (!shape) return std::nullopt;
    out.shape = std::move(*shape);
    std::optional<Dtype>& type = t.shape.empty() ? without : with;
    type = type ? promoted(*type, t.dtype) : t.dtype;
  }
  out.dtype = combined(with, without);
  return out;
}

/// A real dtype itself, or that of the parts of a complex one; empty if there is none.
std::optional<Dtype> part_of(Dtype type) {
  if (!is_complex(type)) return type;
  if (type == Dtype::c64) return Dtype::f32;
  return type == Dtype::c128 ? std::optional(Dtype::f64) : std::nullopt;
}

std::vector<InferredMeta> listed(std::optional<InferredMeta> meta) {
  if (!meta) return {};
  return {std::move(*meta)};
}

std::vector<InferredMeta> like_first(const ShapeCall& call, std::optional<Dtype> dtype) {
  if (call.tensors.empty()) return {};
  return {{call.tensors[0].shape, dtype}};
}

}  // namespace

std::vector<InferredMeta> pointwise_shape(const ShapeCall& call) {
  auto out = broadcast_all(call);
  if (!out || !out->dtype) return listed(std::move(out));
  const int scalar = scalar_category(call);
  if (scalar == 3 && type_category(*out->dtype) < 3)
    out->dtype.reset();
  else if (scalar > type_category(*out->dtype))
    out->dtype = scalar == 2 ? Dtype::f32 : Dtype::i64;
  return listed(std::move(out));
}

/// A power of bools is an integer.
std::vector<InferredMeta> power_shape(const ShapeCall& call) {
  auto out = pointwise_shape(call);
  if (!out.empty() && out[0].dtype == Dtype::boolean) out[0].dtype = Dtype::i64;
  return out;
}

/// prims: floats of one dtype keep it; the dtype for others depends on the kernel and stays open.
std::vector<InferredMeta> kept_shape(const ShapeCall& call) {
  auto out = broadcast_all(call);
  const auto stays = [&](const TensorMeta& t) {
    return is_floating(t.dtype) && t.dtype == call.tensors[0].dtype;
  };
  if (out && !std::all_of(call.tensors.begin(), call.tensors.end(), stays)) out->dtype.reset();
  return listed(std::move(out));
}

std::vector<InferredMeta> compare_shape(const ShapeCall& call) {
  auto out = broadcast_all(call);
  if (out) out->dtype = Dtype::boolean;
  return listed(std::move(out));
}

std::vector<InferredMeta> float_shape(const ShapeCall& call) {
  if (call.argument("rounding_mode") != nullptr) return pointwise_shape(call);  // integers stay integers
  auto out = broadcast_all(call);
  if (out && out->dtype && type_category(*out->dtype) < 2) out->dtype = Dtype::f32;
  return listed(std::move(out));
}

/// Double precision, whatever the operands are.
std::vector<InferredMeta> double_shape(const ShapeCall& call) {
  auto out = broadcast_all(call);
  if (out && out->dtype)
    out->dtype = is_complex(*out->dtype) || scalar_category(call) == 3 ? Dtype::c128 : Dtype::f64;
  return listed(std::move(out));
}

std::vector<InferredMeta> abs_shape(const ShapeCall& call) {
  auto out = pointwise_shape(call);
  if (!out.empty() && out[0].dtype) out[0].dtype = part_of(*out[0].dtype);
  return out;
}

std::vector<InferredMeta> angle_shape(const ShapeCall& call) {
  auto out = float_shape(call);
  if (!out.empty() && out[0].dtype) out[0].dtype = part_of(*out[0].dtype);
  return out;
}

std::vector<InferredMeta> complex_shape(const ShapeCall& call) {
  auto out = broadcast_all(call);
  if (!out || !out->dtype) return listed(std::move(out));
  const bool wide = out->dtype == Dtype::f64, single = out->dtype == Dtype::f32;
  out->dtype = wide ? std::optional(Dtype::c128) : single ? std::optional(Dtype::c64) : std::nullopt;
  return listed(std::move(out));
}

std::vector<InferredMeta> where_shape(const ShapeCall& call) {
  auto out = broadcast_all(call);
  if (!out) return {};
  const bool known = call.tensors.size() == 3 && call.tensors[1].dtype == call.tensors[2].dtype;
  out->dtype = known ? std::optional(call.tensors[1].dtype) : std::nullopt;
  return listed(std::move(out));
}

std::vector<InferredMeta> like_shape(const ShapeCall& call) {
  return call.tensors.empty() ? std::vector<InferredMeta>{} : like_first(call, call.tensors[0].dtype);
}

std::vector<InferredMeta> like_open_shape(const ShapeCall& call) { return like_first(call, std::nullopt); }

/// native_dropout: the values, and the mask of those that were kept.
std::vector<InferredMeta> masked_like_shape(const ShapeCall& call) {
  auto out = like_shape(call);
  if (!out.empty()) out.push_back({out[0].shape, Dtype::boolean});
  return out;
}

std::vector<InferredMeta> cumulative_shape(const ShapeCall& call) {
  if (call.tensors.empty() || !call.dim("dim", call.tensors[0].shape.size())) return {};
  const Arg* asked = call.argument("dtype");
  if (asked != nullptr)
    return like_first(call, asked->kind == Arg::Kind::dtype ? std::optional(asked->dtype) : std::nullopt);
  const Dtype own = call.tensors[0].dtype;
  return like_first(call, type_category(own) < 2 ? Dtype::i64 : own);
}

std::vector<InferredMeta> with_indices_shape(const ShapeCall& call) {
  auto out = like_shape(call);
  if (out.empty() || !call.dim("dim", out[0].shape.size(), -1)) return {};
  out.push_back({out[0].shape, Dtype::i64});
  return out;
}

std::vector<InferredMeta> positions_shape(const ShapeCall& call) { return like_first(call, Dtype::i64); }

/// topk: k elements along a dimension.
std::vector<InferredMeta> top_shape(const ShapeCall& call) {
  auto out = with_indices_shape(call);
  const Arg* count = call.argument("k");
  if (out.empty() || count == nullptr || count->kind != Arg::Kind::sym) return {};
  const auto dim = call.dim("dim", out[0].shape.size(), -1);
  if (out[0].shape.empty() || !dim) return dim ? out : std::vector<InferredMeta>{};
  for (InferredMeta& meta : out) meta.shape[*dim] = call.sizes.of(count->sym);
  return out;
}

std::vector<InferredMeta> typed_like_shape(const ShapeCall& call) {
  const Arg* asked = call.argument("dtype");
  const bool given = asked != nullptr && asked->kind == Arg::Kind::dtype;
  return like_first(call, given ? std::optional(asked->dtype) : std::nullopt);
}

/// `dtype` describes the argument; the dtype of the result is `out_dtype` or `output_dtype`, f32 by default.
std::vector<InferredMeta> dequantized_shape(const ShapeCall& call) {
  for (const char* name : {"out_dtype", "output_dtype"})
    if (const Arg* asked = call.argument(name); asked != nullptr && asked->kind == Arg::Kind::dtype)
      return like_first(call, asked->dtype);
  return like_first(call, Dtype::f32);
}

}  // namespace noclobber::shape_rules
