// The number of windows along one dimension: the output size of pooling, convolution and im2col.
#pragma once
#include <cstdint>
#include <optional>

namespace noclobber {

/// A window of `kernel` elements, `dilation` apart, that moves by `stride` over `in` elements with `padding`
/// on both sides.
struct Window {
  std::int64_t in = 0, kernel = 1, stride = 1, padding = 0, dilation = 1;
};

/// The number of positions at which the window is inside; with `ceil_mode` one more if it starts inside.
/// Below 1 if it fits nowhere. require: stride > 0.
std::int64_t pooled_size(const Window& window, bool ceil_mode);
/// The output size of a convolution; empty if the window fits nowhere.
std::optional<std::int64_t> convolved_size(const Window& window);
/// The output size of a transposed convolution, which has `in` windows; empty if it would be negative.
std::optional<std::int64_t> transposed_size(const Window& window, std::int64_t output_padding);

}  // namespace noclobber
