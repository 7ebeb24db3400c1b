// How many windows fit along one dimension: what pooling, convolution and im2col give.
#pragma once
#include <cstdint>
#include <optional>

namespace noclobber {

/// A window of `kernel` elements, `dilation` apart, that moves by `stride` over `in` elements with `padding`
/// on both sides.
struct Window {
  std::int64_t in = 0, kernel = 1, stride = 1, padding = 0, dilation = 1;
};

/// Places where it lies inside; with `ceil_mode` also one that only starts inside. Below 1: it fits nowhere.
/// require: stride > 0.
std::int64_t pooled_size(const Window& window, bool ceil_mode);
/// Of a convolution; nothing where the window fits nowhere.
std::optional<std::int64_t> convolved_size(const Window& window);
/// Of a transposed one, whose places are the `in` elements; nothing where that is less than none.
std::optional<std::int64_t> transposed_size(const Window& window, std::int64_t output_padding);

}  // namespace noclobber
