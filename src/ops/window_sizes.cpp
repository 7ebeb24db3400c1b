#include "src/ops/window_sizes.h"

namespace noclobber {
namespace {

/// The room beyond the first window: in + 2 * padding - dilation * (kernel - 1) - 1. Empty on overflow.
std::optional<std::int64_t> room_of(const Window& w) {
  std::int64_t reach = 0, room = 0, twice = 0;
  if (__builtin_mul_overflow(w.dilation, w.kernel - 1, &reach) ||
      __builtin_mul_overflow(w.padding, 2, &twice) || __builtin_add_overflow(w.in, twice, &room) ||
      __builtin_sub_overflow(room, reach, &room) || __builtin_sub_overflow(room, 1, &room))
    return std::nullopt;
  return room;
}

}  // namespace

std::int64_t pooled_size(const Window& w, bool ceil_mode) {
  auto room = room_of(w);
  const std::int64_t up = ceil_mode ? w.stride - 1 : 0;
  if (!room || __builtin_add_overflow(*room, up, &*room) || *room < 0) return -1;
  std::int64_t size = *room / w.stride + 1;
  if (ceil_mode && (size - 1) * w.stride >= w.in + w.padding) --size;  // the last window starts inside
  return size;
}

std::optional<std::int64_t> convolved_size(const Window& w) {
  const auto room = room_of(w);
  if (!room || *room < 0) return std::nullopt;
  return *room / w.stride + 1;
}

std::optional<std::int64_t> transposed_size(const Window& w, std::int64_t output_padding) {
  std::int64_t reach = 0, size = 0, twice = 0;
  const bool bad = __builtin_mul_overflow(w.dilation, w.kernel - 1, &reach) ||
                   __builtin_mul_overflow(w.padding, 2, &twice) ||
                   __builtin_mul_overflow(w.in - 1, w.stride, &size) ||
                   __builtin_sub_overflow(size, twice, &size) || __builtin_add_overflow(size, reach, &size) ||
                   __builtin_add_overflow(size, output_padding, &size) ||
                   __builtin_add_overflow(size, 1, &size) || size < 0;
  return bad ? std::nullopt : std::optional(size);
}

}  // namespace noclobber
