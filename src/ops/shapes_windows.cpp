// Shapes of results whose last dimensions count windows over those of the argument, and of padding and
// resizing.
#include "src/ops/shape_rules.h"
#include "src/ops/window_sizes.h"

namespace noclobber::shape_rules {
namespace {

using Numbers = std::vector<std::int64_t>;

/// An argument with one number per dimension, or one for all; `fallback` if it is absent or empty. Empty if
/// it is not constant or has another length.
std::optional<Numbers> numbers(const ShapeCall& call, const char* name, const Numbers& fallback) {
  const std::vector<Arg> items = call.items(name);
  if (items.empty()) return fallback;
  Numbers out;
  for (const Arg& item : items) {
    if (item.kind != Arg::Kind::sym || !item.sym.is_constant()) return std::nullopt;
    out.push_back(item.sym.constant());
  }
  if (out.size() == 1) out.assign(fallback.size(), out[0]);
  return out.size() == fallback.size() ? std::optional(out) : std::nullopt;
}

/// The last sizes of a shape; empty if one is not constant.
std::optional<Numbers> last_sizes(const ShapeCall& call, const Shape& shape, std::size_t count) {
  Numbers out;
  for (std::size_t k = shape.size() - count; k < shape.size(); ++k) {
    const auto size = call.sizes.space().value(shape[k]);
    if (!size) return std::nullopt;
    out.push_back(*size);
  }
  return out;
}

/// One window per dimension, with `stride` if the call gives none.
std::optional<std::vector<Window>> windows_of(const ShapeCall& call, const Numbers& in, const Numbers& kernel,
                                              const Numbers& stride) {
  const auto strides = numbers(call, "stride", stride);
  const auto padding = numbers(call, "padding", Numbers(in.size(), 0));
  const auto dilation = numbers(call, "dilation", Numbers(in.size(), 1));
  if (!strides || !padding || !dilation) return std::nullopt;
  std::vector<Window> out;
  for (std::size_t d = 0; d < in.size(); ++d) {
    out.push_back({in[d], kernel[d], (*strides)[d], (*padding)[d], (*dilation)[d]});
    if (out[d].kernel < 0 || out[d].stride < 1 || out[d].dilation < 1) return std::nullopt;
  }
  return out;
}

Shape with_last(const ShapeCall& call, Shape shape, const Numbers& sizes) {
  for (std::size_t d = 0; d < sizes.size(); ++d)
    shape[shape.size() - sizes.size() + d] = call.sizes.space().constant(sizes[d]);
  return shape;
}

/// Sizes times scales, as PyTorch rounds them.
std::optional<Numbers> scaled_sizes(const ShapeCall& call, std::size_t dims) {
  const std::vector<Arg> scales = call.items("scale_factors");
  auto sizes = last_sizes(call, call.tensors[0].shape, dims);
  if (!sizes || scales.size() != dims) return std::nullopt;
  for (std::size_t d = 0; d < dims; ++d) {
    if (scales[d].kind != Arg::Kind::real || !(scales[d].real >= 0 && scales[d].real < 1e6))
      return std::nullopt;
    (*sizes)[d] = static_cast<std::int64_t>(static_cast<double>((*sizes)[d]) * scales[d].real);
  }
  return sizes;
}

}  // namespace

std::size_t spatial_dims(std::string_view op) {
  for (std::size_t k = 1; k < op.size(); ++k)
    if (op[k] == 'd' && op[k - 1] >= '1' && op[k - 1] <= '3')
      return static_cast<std::size_t>(op[k - 1] - '0');
  return 0;
}

std::vector<InferredMeta> pool_shape(const ShapeCall& call) {
  const std::size_t dims = spatial_dims(call.op);
  if (call.tensors.empty() || dims == 0) return {};
  const auto& [shape, dtype] = call.tensors[0];
  if (shape.size() < dims + 1 || shape.size() > dims + 2) return {};
  const auto in = last_sizes(call, shape, dims), kernel = numbers(call, "kernel_size", Numbers(dims, 0));
  const auto windows = in && kernel ? windows_of(call, *in, *kernel, *kernel) : std::nullopt;
  if (!windows) return {};
  Numbers sizes;
  for (const Window& w : *windows) {
    sizes.push_back(pooled_size(w, call.is_true("ceil_mode")));
    if (w.kernel < 1 || sizes.back() < 1) return {};
  }
  return {{with_last(call, shape, sizes), dtype}};
}

std::vector<InferredMeta> pool_with_places_shape(const ShapeCall& call) {
  auto out = pool_shape(call);
  if (!out.empty()) out.push_back({out[0].shape, Dtype::i64});
  return out;
}

/// input, weight; batch and channels may be symbols.
std::vector<InferredMeta> convolution_shape(const ShapeCall& call) {
  if (call.tensors.size() < 2) return {};
  const Shape &input = call.tensors[0].shape, &weight = call.tensors[1].shape;
  if (input.size() < 3 || input.size() != weight.size()) return {};
  const std::size_t dims = input.size() - 2;
  const auto in = last_sizes(call, input, dims), kernel = last_sizes(call, weight, dims);
  const auto windows = in && kernel ? windows_of(call, *in, *kernel, Numbers(dims, 1)) : std::nullopt;
  const auto more = numbers(call, "output_padding", Numbers(dims, 0));
  const auto groups = call.integer("groups", 1);
  Space& space = call.sizes.space();
  if (!windows || !more || !groups) return {};
  if (space.value(input[1]) == 0 || space.value(weight[1]) == 0) return {};  // PyTorch then gives no channels
  const bool transposed = call.is_true("transposed");
  Shape out = input;
  out[1] = transposed ? space.scale(weight[1], *groups) : weight[0];
  for (std::size_t d = 0; d < dims; ++d) {
    const Window& w = (*windows)[d];
    const auto size = transposed ? transposed_size(w, (*more)[d]) : convolved_size(w);
    if (!size) return {};
    out[d + 2] = space.constant(*size);
  }
  return {{std::move(out), call.tensors[0].dtype}};
}

/// Gradients of input, weight and bias; one that is not requested does not exist.
std::vector<InferredMeta> convolution_gradients_shape(const ShapeCall& call) {
  if (call.tensors.size() < 3) return {};
  std::vector<InferredMeta> out;
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}})
    out.push_back({call.tensors[k].shape, call.tensors[k].dtype});
  const std::vector<Arg> bias = call.items("bias_sizes");
  if (bias.size() == 1 && bias[0].kind == Arg::Kind::sym)
    out.push_back({{call.sizes.of(bias[0].sym)}, call.tensors[1].dtype});
  return out;
}

/// Padding before and after the last dimensions, the last one first.
std::vector<InferredMeta> padded_shape(const ShapeCall& call) {
  const std::vector<Arg> padding = call.items("padding");
  if (call.tensors.empty() || padding.size() % 2 != 0 || padding.size() / 2 > call.tensors[0].shape.size())
    return {};
  Shape out = call.tensors[0].shape;
  for (std::size_t k = 0; k < padding.size(); ++k) {
    if (padding[k].kind != Arg::Kind::sym) return {};
    PolyId& size = out[out.size() - 1 - k / 2];
    size = call.sizes.space().add(size, call.sizes.of(padding[k].sym));
  }
  return {{std::move(out), call.tensors[0].dtype}};
}

/// The last dimensions have the requested sizes.
std::vector<InferredMeta> resized_shape(const ShapeCall& call) {
  const std::size_t dims = spatial_dims(call.op);
  if (call.tensors.empty() || dims == 0 || call.tensors[0].shape.size() < dims + 1) return {};
  const auto& [shape, dtype] = call.tensors[0];
  std::vector<Arg> sizes = call.items("output_size");
  if (sizes.empty()) {
    const auto scaled = scaled_sizes(call, dims);
    return scaled ? std::vector<InferredMeta>{{with_last(call, shape, *scaled), dtype}}
                  : std::vector<InferredMeta>{};
  }
  if (sizes.size() == 1) sizes.assign(dims, sizes[0]);
  Shape out = shape;
  for (std::size_t d = 0; d < dims; ++d) {
    if (sizes.size() != dims || sizes[d].kind != Arg::Kind::sym) return {};
    out[out.size() - dims + d] = call.sizes.of(sizes[d].sym);
  }
  return {{std::move(out), dtype}};
}

/// im2col: every window as a column.
std::vector<InferredMeta> columns_shape(const ShapeCall& call) {
  if (call.tensors.empty()) return {};
  const auto& [shape, dtype] = call.tensors[0];
  if (shape.size() < 3 || shape.size() > 4) return {};
  const auto in = last_sizes(call, shape, 2), kernel = numbers(call, "kernel_size", {0, 0});
  const auto windows = in && kernel ? windows_of(call, *in, *kernel, {1, 1}) : std::nullopt;
  if (!windows || (*kernel)[0] < 1 || (*kernel)[1] < 1) return {};
  const auto down = convolved_size((*windows)[0]), right = convolved_size((*windows)[1]);
  if (!down || !right) return {};
  Space& space = call.sizes.space();
  Shape out(shape.begin(), shape.end() - 1);
  out[out.size() - 2] = space.scale(space.scale(shape[shape.size() - 3], (*kernel)[0]), (*kernel)[1]);
  out.back() = space.mul(space.constant(*down), space.constant(*right));
  return {{std::move(out), dtype}};
}

/// col2im: columns as an image.
std::vector<InferredMeta> image_shape(const ShapeCall& call) {
  const std::vector<Arg> image = call.items("output_size");
  const auto kernel = numbers(call, "kernel_size", {0, 0});
  if (call.tensors.empty() || !kernel || image.size() != 2) return {};
  const auto& [shape, dtype] = call.tensors[0];
  if (shape.size() < 2 || shape.size() > 3) return {};
  const auto rows = call.sizes.space().value(shape[shape.size() - 2]);
  std::int64_t area = 0;
  if (!rows || __builtin_mul_overflow((*kernel)[0], (*kernel)[1], &area) || area < 1 || *rows % area != 0)
    return {};
  Shape out(shape.begin(), shape.end() - 2);
  out.push_back(call.sizes.space().constant(*rows / area));
  for (const Arg& size : image) {
    if (size.kind != Arg::Kind::sym) return {};
    out.push_back(call.sizes.of(size.sym));
  }
  return {{std::move(out), dtype}};
}

}  // namespace noclobber::shape_rules
