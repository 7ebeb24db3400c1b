// Shape and dtype rules: the type of a result from the arguments of its operator.
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

/// `dtype` is absent if the rule does not determine it.
struct InferredMeta {
  Shape shape;
  std::optional<Dtype> dtype;
};

/// The input of a rule. `tensors`: the tensor arguments in schema order, lists flattened; of an in-place form
/// only those that are read. `op` is the functional operator, without overload.
struct ShapeCall {
  Sizes& sizes;
  std::string_view op;
  const Schema& schema;
  const std::vector<Arg>& arguments;
  const std::vector<TensorMeta>& tensors;
  /// The argument of that name; nullptr if it is absent or None.
  const Arg* argument(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name, std::optional<std::int64_t> fallback) const;
  /// The dimension that the argument names, of a tensor of `rank`; rank 0 counts as 1. Empty if it is out of
  /// range or not constant.
  std::optional<std::size_t> dim(std::string_view name, std::size_t rank,
                                 std::optional<std::int64_t> fallback = std::nullopt) const;
  bool is_true(std::string_view name) const;
  /// The items of a list; a single value counts as a list of one. Empty if the argument is absent.
  std::vector<Arg> items(std::string_view name) const;
};

/// The first results, in order; empty if sizes do not determine them.
using ShapeRule = std::vector<InferredMeta> (*)(const ShapeCall& call);

/// False only if PyTorch is known to reject these arguments.
using FitRule = bool (*)(const ShapeCall& call);

/// True if the fit rule of the operator's row rejects the call.
bool is_refused(const ShapeCall& call);
/// By the operator's row, else by PyTorch's pointwise tag. Empty if there is no rule, the rule does not
/// determine the result, or the call is rejected.
std::vector<InferredMeta> infer_meta(const ShapeCall& call);
/// True if the row of the functional operator names a shape rule or a fit rule. An empty result of
/// `infer_meta` may then mean that PyTorch rejects the call.
bool has_shape_rule(std::string_view op);

/// The broadcast of two shapes; empty if they do not fit or may not.
std::optional<Shape> broadcast(Space& space, const Shape& a, const Shape& b);
/// 0 bool, 1 integers, 2 floats, 3 complex. A result may be stored in its own category or a later one.
int type_category(Dtype type);
/// PyTorch's type promotion between two tensors of positive rank.
Dtype promoted(Dtype a, Dtype b);

}  // namespace noclobber
