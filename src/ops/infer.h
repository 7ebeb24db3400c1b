// Shape and type rules: what a result is, from what the operator is given.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "src/ops/schema.h"
#include "src/ops/views.h"

namespace noclobber {

struct TensorMeta {
  Shape shape;
  Dtype dtype = Dtype::other;
};

/// Result 0 of `op` (without overload). `tensors`: the tensor arguments in schema order, lists flattened.
/// dtype absent: the rule leaves it open. Nothing where no rule exists or sizes leave it open.
struct InferredMeta {
  Shape shape;
  std::optional<Dtype> dtype;
};
std::optional<InferredMeta> infer_meta(Sizes& sizes, std::string_view op, const Schema& schema,
                                       const std::vector<Arg>& arguments,
                                       const std::vector<TensorMeta>& tensors);

/// Broadcast of two shapes; nothing where they do not fit or it cannot be told.
std::optional<Shape> broadcast(Space& space, const Shape& a, const Shape& b);
/// 0 bool, 1 integers, 2 floats, 3 complex: a result may be stored in its own category or a later one.
int type_category(Dtype type);
/// PyTorch's type promotion between two tensors of positive rank.
Dtype promoted(Dtype a, Dtype b);

}  // namespace noclobber
