// The rules that rows of the operator table name. Internal to ops/.
#pragma once
#include <vector>

#include "src/ops/infer.h"

namespace noclobber::shape_rules {

std::vector<InferredMeta> pointwise_shape(const ShapeCall& call);
std::vector<InferredMeta> pointwise_open_shape(const ShapeCall& call);  // dtype left open
std::vector<InferredMeta> kept_shape(const ShapeCall& call);            // left open but for floating numbers
std::vector<InferredMeta> power_shape(const ShapeCall& call);
std::vector<InferredMeta> masked_shape(const ShapeCall& call);
std::vector<InferredMeta> compare_shape(const ShapeCall& call);
std::vector<InferredMeta> float_shape(const ShapeCall& call);       // integers become the default float
std::vector<InferredMeta> first_type_shape(const ShapeCall& call);  // of the first tensor's type
std::vector<InferredMeta> abs_shape(const ShapeCall& call);         // complex numbers become real
std::vector<InferredMeta> where_shape(const ShapeCall& call);
std::vector<InferredMeta> like_shape(const ShapeCall& call);       // of the first tensor
std::vector<InferredMeta> like_open_shape(const ShapeCall& call);  // likewise, dtype left open
std::vector<InferredMeta> masked_like_shape(const ShapeCall& call);
std::vector<InferredMeta> cumulative_shape(const ShapeCall& call);
std::vector<InferredMeta> with_indices_shape(const ShapeCall& call);  // values and i64 positions
std::vector<InferredMeta> positions_shape(const ShapeCall& call);
std::vector<InferredMeta> top_shape(const ShapeCall& call);
std::vector<InferredMeta> product_shape(const ShapeCall& call);
std::vector<InferredMeta> linear_shape(const ShapeCall& call);
std::vector<InferredMeta> dot_shape(const ShapeCall& call);
std::vector<InferredMeta> outer_shape(const ShapeCall& call);
std::vector<InferredMeta> reduction_shape(const ShapeCall& call);
std::vector<InferredMeta> sum_shape(const ShapeCall& call);  // integers become i64
std::vector<InferredMeta> truth_shape(const ShapeCall& call);
std::vector<InferredMeta> arg_reduction_shape(const ShapeCall& call);
std::vector<InferredMeta> pair_reduction_shape(const ShapeCall& call);  // values, and i64 positions
std::vector<InferredMeta> pick_shape(const ShapeCall& call);            // amax
std::vector<InferredMeta> two_picks_shape(const ShapeCall& call);       // aminmax
std::vector<InferredMeta> two_reductions_shape(const ShapeCall& call);  // var_mean
std::vector<InferredMeta> gather_shape(const ShapeCall& call);
std::vector<InferredMeta> index_select_shape(const ShapeCall& call);
std::vector<InferredMeta> embedding_shape(const ShapeCall& call);
std::vector<InferredMeta> count_shape(const ShapeCall& call);  // arange
std::vector<InferredMeta> typed_like_shape(const ShapeCall& call);
std::vector<InferredMeta> dequantized_shape(const ShapeCall& call);  // dtype as an argument says

}  // namespace noclobber::shape_rules
