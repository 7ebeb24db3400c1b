// Rules for calls that PyTorch rejects: types that differ, ranks and extents that do not fit. Rows of the
// operator table name them. Internal to ops/.
#pragma once
#include "src/ops/infer.h"

namespace noclobber::fit_rules {

bool no_complex_fits(const ShapeCall& call);
bool division_fits(const ShapeCall& call);  // addcdiv: integers cannot be divided
bool double_fits(const ShapeCall& call);    // float_power_: the target must be f64 or c128
bool average_fits(const ShapeCall& call);   // mean: integers need a `dtype`
bool matrices_fit(const ShapeCall& call);   // mm, bmm, mv, dot, and their forms with a summand
bool linear_fits(const ShapeCall& call);
bool triangle_fits(const ShapeCall& call);  // tril, triu
bool square_fits(const ShapeCall& call);    // trace
bool take_fits(const ShapeCall& call);
bool buckets_fit(const ShapeCall& call);
bool distance_fits(const ShapeCall& call);  // cdist
bool embedding_gradient_fits(const ShapeCall& call);
bool softmax_gradient_fits(const ShapeCall& call);
bool sigmoid_gradient_fits(const ShapeCall& call);
bool norm_fits(const ShapeCall& call);  // layer_norm, group_norm
bool batch_norm_fits(const ShapeCall& call);
bool batch_norm_gradient_fits(const ShapeCall& call);
bool attention_fits(const ShapeCall& call);
bool attention_gradient_fits(const ShapeCall& call);
bool convolution_fits(const ShapeCall& call);
bool convolution_gradient_fits(const ShapeCall& call);
bool pool_gradient_fits(const ShapeCall& call);
bool adaptive_gradient_fits(const ShapeCall& call);
bool padding_fits(const ShapeCall& call);
bool resized_fits(const ShapeCall& call);  // upsample
bool image_fits(const ShapeCall& call);    // col2im

}  // namespace noclobber::fit_rules
