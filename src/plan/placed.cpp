#include "src/plan/placed.h"

#include <algorithm>
#include <map>

namespace noclobber {
namespace {

constexpr std::int64_t kEnumerated = 4096;  // elements; a larger view must be dense, else it is unknown

void merge(ByteRanges& ranges) {
  std::ranges::sort(ranges);
  ByteRanges out;
  for (const auto& [begin, end] : ranges) {
    if (!out.empty() && begin <= out.back().second) {
      out.back().second = std::max(out.back().second, end);
    } else {
      out.emplace_back(begin, end);
    }
  }
  ranges = std::move(out);
}

/// Advances to the next index in row-major order; false after the last one.
bool advance(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& shape) {
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (++index[k] < shape[k]) return true;
    index[k] = 0;
  }
  return false;
}

/// Bytes of a view whose elements take `bits` each; `address` is the bit address as a function of the index.
std::optional<ByteRanges> enumerate_bytes(const Space& space, PolyId address, int bits,
                                          const std::vector<std::int64_t>& shape,
                                          const SymbolValues& symbols) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  if (count == 0) return ByteRanges{};
  std::vector<std::int64_t> index(shape.size(), 0);
  if (count > kEnumerated) {
    const auto low = number_of(space, address, symbols, index);
    for (std::size_t k = 0; k < shape.size(); ++k) index[k] = shape[k] - 1;
    const auto high = number_of(space, address, symbols, index);
    const bool dense = low && high && *high >= *low && (*high - *low) / bits == count - 1;
    if (!dense) return std::nullopt;
    return ByteRanges{{*low / 8, (*high + bits + 7) / 8}};
  }
  ByteRanges out;
  do {
    const auto at = number_of(space, address, symbols, index);
    if (!at) return std::nullopt;
    out.emplace_back(*at / 8, (*at + bits + 7) / 8);
  } while (advance(index, shape));
  merge(out);
  return out;
}

/// Bits of one element of the view; 0: not known.
int own_bits(const ValueViews& views, const TraceView& view) {
  if (view.lanes == 0) return bit_width(views.layouts[view.storage].dtype);
  const auto dtype = parse_dtype(*view.type);
  return dtype ? bit_width(*dtype) : 0;
}

}  // namespace

bool may_coexist(const std::vector<ArmGuard>& guards, std::uint32_t a, std::uint32_t b) {
  for (std::uint32_t x = a; x != ArmGuard::kAlways; x = guards[x].outer)
    for (std::uint32_t y = b; y != ArmGuard::kAlways; y = guards[y].outer)
      if (guards[x].branch == guards[y].branch && guards[x].arm != guards[y].arm) return false;
  return true;
}

PolyId bit_address(Space& space, const ValueViews& views, const TraceView& view, const Index& index) {
  const StorageLayout& layout = views.layouts[view.storage];
  Index root = root_index(space, view, index);
  const int bits = bit_width(layout.dtype);
  if (!layout.strides || bits == 0) return Space::kBad;
  const std::size_t rank = layout.strides->size();
  if (root.size() < rank) return Space::kBad;
  PolyId elements = 0;
  for (std::size_t k = 0; k < rank; ++k) {
    if (root[k] == Space::kBad) return Space::kBad;
    elements = space.add(elements, space.mul((*layout.strides)[k], root[k]));
  }
  PolyId out = space.scale(elements, bits);
  if (root.size() > rank) {  // its lane: a byte, or half of one for 4-bit elements
    const int part = view.lanes > 0 ? own_bits(views, view) / static_cast<int>(view.lanes) : 0;
    if (part == 0) return Space::kBad;
    out = space.add(out, space.scale(root.back(), part));
  }
  return out;
}

std::optional<ByteRanges> bytes_of(Space& space, const PlacedStorage& placed, const Touch& touch,
                                   const SymbolValues& symbols) {
  const TraceView* view = touch.view;
  if (view == nullptr) {
    const auto bytes = number_of(space, placed.bytes, symbols);
    if (!bytes) return std::nullopt;
    return *bytes > 0 ? ByteRanges{{0, *bytes}} : ByteRanges{};
  }
  std::vector<std::int64_t> shape;
  for (const PolyId extent : view->shape) {
    const auto known = number_of(space, extent, symbols);
    if (!known || *known < 0) return std::nullopt;
    shape.push_back(*known);
  }
  const ValueViews& views = touch.traced->views;
  const int bits = own_bits(views, *view);
  if (bits == 0) return std::nullopt;
  const PolyId address = bit_address(space, views, *view, running(space, *view));
  return enumerate_bytes(space, address, bits, shape, symbols);
}

}  // namespace noclobber
