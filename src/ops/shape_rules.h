// The shape rules that rows of the operator table name. Internal to ops/.
#pragma once
#include <vector>

#include "src/ops/infer.h"

namespace noclobber::shape_rules {

/// The number of dimensions in the name of an operator: 2 for avg_pool2d. 0 if there is none.
std::size_t spatial_dims(std::string_view op);
/// True only if `values` is known not to broadcast to `target`.
bool cannot_fill(Space& space, const Shape& values, const Shape& target);

std::vector<InferredMeta> pointwise_shape(const ShapeCall& call);
std::vector<InferredMeta> kept_shape(const ShapeCall& call);  // dtype open unless all floats are of one
std::vector<InferredMeta> power_shape(const ShapeCall& call);
std::vector<InferredMeta> masked_shape(const ShapeCall& call);
std::vector<InferredMeta> compare_shape(const ShapeCall& call);
std::vector<InferredMeta> float_shape(const ShapeCall& call);  // integers become the default float
std::vector<InferredMeta> double_shape(const ShapeCall& call);
std::vector<InferredMeta> abs_shape(const ShapeCall& call);      // complex numbers become real
std::vector<InferredMeta> angle_shape(const ShapeCall& call);    // as abs_shape; integers become floats
std::vector<InferredMeta> complex_shape(const ShapeCall& call);  // of two real parts
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
std::vector<InferredMeta> take_shape(const ShapeCall& call);
std::vector<InferredMeta> scatter_shape(const ShapeCall& call);
std::vector<InferredMeta> index_put_shape(const ShapeCall& call);
std::vector<InferredMeta> index_store_shape(const ShapeCall& call);  // index_add, index_copy, index_fill
std::vector<InferredMeta> index_select_shape(const ShapeCall& call);
std::vector<InferredMeta> embedding_shape(const ShapeCall& call);
std::vector<InferredMeta> count_shape(const ShapeCall& call);  // arange
std::vector<InferredMeta> typed_like_shape(const ShapeCall& call);
std::vector<InferredMeta> softmax_shape(const ShapeCall& call);
std::vector<InferredMeta> norm_shape(const ShapeCall& call);  // layer_norm, group_norm
std::vector<InferredMeta> loss_shape(const ShapeCall& call);
std::vector<InferredMeta> own_loss_shape(const ShapeCall& call);
std::vector<InferredMeta> batch_norm_shape(const ShapeCall& call);
std::vector<InferredMeta> functional_batch_norm_shape(const ShapeCall& call);
std::vector<InferredMeta> gradient_shape(const ShapeCall& call);   // of the second tensor
std::vector<InferredMeta> first_two_shape(const ShapeCall& call);  // pointwise over the first two
std::vector<InferredMeta> batch_norm_gradients_shape(const ShapeCall& call);
std::vector<InferredMeta> norm_gradients_shape(const ShapeCall& call);
std::vector<InferredMeta> attention_shape(const ShapeCall& call);
std::vector<InferredMeta> attention_gradients_shape(const ShapeCall& call);
std::vector<InferredMeta> pool_shape(const ShapeCall& call);
std::vector<InferredMeta> pool_with_places_shape(const ShapeCall& call);  // and i64 places
std::vector<InferredMeta> convolution_shape(const ShapeCall& call);
std::vector<InferredMeta> convolution_gradients_shape(const ShapeCall& call);
std::vector<InferredMeta> padded_shape(const ShapeCall& call);
std::vector<InferredMeta> resized_shape(const ShapeCall& call);
std::vector<InferredMeta> columns_shape(const ShapeCall& call);  // im2col
std::vector<InferredMeta> image_shape(const ShapeCall& call);    // col2im
std::vector<InferredMeta> matmul_shape(const ShapeCall& call);
std::vector<InferredMeta> index_shape(const ShapeCall& call);
std::vector<InferredMeta> bucket_shape(const ShapeCall& call);
std::vector<InferredMeta> eye_shape(const ShapeCall& call);
std::vector<InferredMeta> iota_shape(const ShapeCall& call);
std::vector<InferredMeta> embedding_gradient_shape(const ShapeCall& call);
std::vector<InferredMeta> distance_shape(const ShapeCall& call);   // cdist
std::vector<InferredMeta> row_pairs_shape(const ShapeCall& call);  // pdist
std::vector<InferredMeta> gathered_shape(const ShapeCall& call);
std::vector<InferredMeta> scattered_shape(const ShapeCall& call);
std::vector<InferredMeta> exchanged_shape(const ShapeCall& call);
std::vector<InferredMeta> dequantized_shape(const ShapeCall& call);  // dtype from an argument

}  // namespace noclobber::shape_rules
