#include "src/interp/replay_view.h"

#include <algorithm>
#include <limits>

namespace noclobber {

namespace {

/// A view of more elements is taken to cover every byte of its extent.
constexpr std::int64_t kEnumerated = std::int64_t{1} << 24;

/// The view without broadcast dimensions (stride 0), which covers the same bytes.
Tensor without_repeats(Tensor view) {
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    if (view.stride[d] == 0 && view.shape[d] > 1) view.shape[d] = 1;
  }
  return view;
}

/// Calls visit(position) for every element, row-major; positions count elements from the storage's start.
template <class Visit>
void for_each_position(const Tensor& view, Visit visit) {
  if (element_count(view) == 0) return;
  const std::size_t rank = view.shape.size();
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t position = view.offset;
  for (;;) {
    visit(position);
    std::size_t d = rank;
    while (d > 0) {
      --d;
      position += view.stride[d];
      if (++index[d] < view.shape[d]) break;
      position -= view.stride[d] * view.shape[d];
      index[d] = 0;
      if (d == 0) return;
    }
    if (rank == 0) return;
  }
}

std::int64_t width_of(const Tensor& view) { return static_cast<std::int64_t>(element_width(view.dtype)); }

/// True if the view covers every byte of its extent, each once.
bool fills_extent(const Tensor& view) {
  const ByteRange range = byte_extent(view);
  if ((range.last - range.first) / width_of(view) != element_count(view)) return false;
  std::vector<std::pair<std::int64_t, std::int64_t>> dims;
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    if (view.shape[d] != 1) dims.emplace_back(view.stride[d], view.shape[d]);
  }
  std::sort(dims.begin(), dims.end());
  std::int64_t expected = 1;
  for (const auto& [stride, size] : dims) {
    if (stride != expected) return false;
    expected *= size;
  }
  return true;
}

}  // namespace

std::int64_t element_count(const Tensor& view) {
  std::int64_t count = 1;
  for (const std::int64_t size : view.shape) {
    if (size == 0) return 0;
  }
  for (const std::int64_t size : view.shape) {
    if (__builtin_mul_overflow(count, size, &count)) return std::numeric_limits<std::int64_t>::max();
  }
  return count;
}

ByteRange byte_extent(const Tensor& view) {
  if (element_count(view) == 0) return {};
  std::int64_t low = view.offset, high = view.offset;
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    const std::int64_t reach = view.stride[d] * (view.shape[d] - 1);
    (reach < 0 ? low : high) += reach;
  }
  const std::int64_t width = width_of(view);
  return {low * width, (high + 1) * width};
}

std::vector<std::int64_t> element_bytes(const Tensor& view) {
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(element_count(view)));
  const std::int64_t width = width_of(view);
  for_each_position(view, [&](std::int64_t position) { out.push_back(position * width); });
  return out;
}

std::vector<std::uint8_t> shown_bytes(const Tensor& view, std::size_t storage_size) {
  std::vector<std::uint8_t> shown(storage_size, 0);
  const auto mark = [&shown](std::int64_t first, std::int64_t last) {
    const auto size = static_cast<std::int64_t>(shown.size());
    for (std::int64_t byte = std::max<std::int64_t>(first, 0); byte < std::min(last, size); ++byte) {
      shown[static_cast<std::size_t>(byte)] = 1;
    }
  };
  const Tensor once = without_repeats(view);
  const std::int64_t width = width_of(view);
  if (element_count(once) > kEnumerated) {
    mark(byte_extent(once).first, byte_extent(once).last);
    return shown;
  }
  for_each_position(once, [&](std::int64_t position) { mark(position * width, (position + 1) * width); });
  return shown;
}

ByteRange shared_extent(const Tensor& a, const Tensor& b) {
  if (a.storage != b.storage) return {};
  const ByteRange ra = byte_extent(a), rb = byte_extent(b);
  const ByteRange meet{std::max(ra.first, rb.first), std::min(ra.last, rb.last)};
  if (meet.first >= meet.last) return {};
  if (fills_extent(a) && fills_extent(b)) return meet;
  const std::vector<std::uint8_t> in_a = shown_bytes(a, static_cast<std::size_t>(ra.last));
  const std::vector<std::uint8_t> in_b = shown_bytes(b, static_cast<std::size_t>(rb.last));
  ByteRange shared;
  for (std::int64_t byte = meet.first; byte < meet.last; ++byte) {
    const auto at = static_cast<std::size_t>(byte);
    if (in_a[at] == 0 || in_b[at] == 0) continue;
    if (shared.empty()) shared.first = byte;
    shared.last = byte + 1;
  }
  return shared;
}

bool share_bytes(const Tensor& a, const Tensor& b) { return !shared_extent(a, b).empty(); }

bool repeats_bytes(const Tensor& view) {
  const std::int64_t count = element_count(view);
  const ByteRange range = byte_extent(view);
  if (count <= 1) return false;
  if (count > (range.last - range.first) / width_of(view)) return true;  // more indices than elements
  if (fills_extent(view)) return false;
  std::vector<std::int64_t> positions;
  for_each_position(view, [&](std::int64_t position) { positions.push_back(position); });
  std::sort(positions.begin(), positions.end());
  return std::adjacent_find(positions.begin(), positions.end()) != positions.end();
}

bool same_map(const Tensor& a, const Tensor& b) {
  if (a.storage != b.storage || a.dtype != b.dtype || a.offset != b.offset || a.shape != b.shape)
    return false;
  for (std::size_t d = 0; d < a.shape.size(); ++d) {
    if (a.shape[d] > 1 && a.stride[d] != b.stride[d]) return false;
  }
  return true;
}

std::vector<std::int64_t> index_of(const std::vector<std::int64_t>& shape, std::int64_t at) {
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] <= 0) return index;
    index[d] = at % shape[d];
    at /= shape[d];
  }
  return index;
}

std::string index_text(const std::vector<std::int64_t>& index) {
  std::string text = "[";
  for (const std::int64_t i : index) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(i);
  }
  return text + "]";
}

}  // namespace noclobber
