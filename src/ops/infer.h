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

/// dtype absent: the rule leaves it open.
struct InferredMeta {
  Shape shape;
  std::optional<Dtype> dtype;
};

/// What a rule may look at. `tensors`: the tensor arguments in schema order, lists flattened; of an in-place
/// form those that are read. `op` is the functional operator, without overload.
struct ShapeCall {
  Sizes& sizes;
  std::string_view op;
  const Schema& schema;
  const std::vector<Arg>& arguments;
  const std::vector<TensorMeta>& tensors;
  /// The argument of that name, or nullptr where it is absent or None.
  const Arg* argument(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name, std::optional<std::int64_t> fallback) const;
  /// The dimension that the argument names of a tensor of `rank`, of 1 for rank 0; nothing where it has none.
  std::optional<std::size_t> dim(std::string_view name, std::size_t rank,
                                 std::optional<std::int64_t> fallback = std::nullopt) const;
  bool is_true(std::string_view name) const;
  /// Of a list, or what stands for a list of one; empty where it is absent.
  std::vector<Arg> items(std::string_view name) const;
};

/// The first results, in order; empty where sizes leave them open.
using ShapeRule = std::vector<InferredMeta> (*)(const ShapeCall& call);

/// Is the operator called with what PyTorch takes? No only where that is known.
using FitRule = bool (*)(const ShapeCall& call);

/// Is it known that PyTorch refuses the call, by what the operator's row says that it takes?
bool is_refused(const ShapeCall& call);
/// By the operator's row, or as PyTorch's pointwise tag says; empty: there is no rule, it leaves it open,
/// or the call is refused.
std::vector<InferredMeta> infer_meta(const ShapeCall& call);
/// Does the row of the functional operator name a rule of either kind? `infer_meta` then leaves open what
/// PyTorch may refuse.
bool has_shape_rule(std::string_view op);

/// Broadcast of two shapes; nothing where they do not fit or it cannot be told.
std::optional<Shape> broadcast(Space& space, const Shape& a, const Shape& b);
/// 0 bool, 1 integers, 2 floats, 3 complex: a result may be stored in its own category or a later one.
int type_category(Dtype type);
/// PyTorch's type promotion between two tensors of positive rank.
Dtype promoted(Dtype a, Dtype b);

}  // namespace noclobber
