#include "src/plan/placed.h"

#include <algorithm>
#include <map>

namespace noclobber {
namespace {

constexpr std::int64_t kEnumerated = 4096;  // elements; larger views count only if they have no gaps

/// (bits + 7) / 8.
PolyId bytes_for(Space& space, PolyId bits) {
  return space.quotient(space.add(bits, space.constant(7)), space.constant(8));
}

class Collector {
 public:
  Collector(const Case& value, const Traced& traced, Sizes& sizes)
      : case_(value), trace_(traced.after), views_(traced.views), sizes_(sizes), space_(sizes.space()) {}

  PlacedStorages run() {
    for (std::uint32_t k = 0; k < case_.plan->buffers.size(); ++k) add_buffer(k);
    for (std::uint32_t k = 0; k < trace_.steps.size(); ++k) add_step(k);
    add_boundary();
    for (PlacedStorage& placed : out_.storages) set_life(placed);
    return std::move(out_);
  }

 private:
  std::uint32_t leaving() const { return static_cast<std::uint32_t>(case_.after.steps.size()); }

  void add_buffer(std::uint32_t number) {
    const PlanBuffer& buffer = case_.plan->buffers[number];
    if (!buffer.is_value) return add_own(number);
    const ValueId id = case_.after.find(buffer.name);
    if (!id.valid() || id.index >= views_.values.size() || !views_.values[id.index])
      return out_.unresolved.push_back(number);
    const TraceView& view = *views_.values[id.index];
    Index zero(view.shape.size() + (view.lanes > 0 ? 1 : 0), 0);
    const PolyId start = view.maps.empty() ? 0 : bytes_down(bit_address(space_, views_, view, zero));
    if (start == Space::kBad) return out_.unresolved.push_back(number);
    const auto known = by_storage_.find(view.storage);
    if (known != by_storage_.end()) return join(out_.storages[known->second], number, start);
    by_storage_[view.storage] = out_.storages.size();
    PlacedStorage placed;
    placed.storage = view.storage;
    placed.arena = buffer.arena;
    placed.name = buffer.name;
    placed.base = space_.sub(sizes_.of(buffer.offset), start);
    placed.bytes = storage_bytes(view.storage);
    out_.storages.push_back(std::move(placed));
    join(out_.storages.back(), number, start);
  }

  void join(PlacedStorage& placed, std::uint32_t number, PolyId start) {
    placed.buffers.push_back(number);
    placed.starts.push_back(start);
  }

  void add_own(std::uint32_t number) {
    const PlanBuffer& buffer = case_.plan->buffers[number];
    PlacedStorage placed;
    placed.buffers = {number};
    placed.starts = {0};
    placed.arena = buffer.arena;
    placed.name = buffer.name;
    placed.base = sizes_.of(buffer.offset);
    placed.bytes = sizes_.of(buffer.size);
    placed.first = *buffer.lower;
    placed.last = *buffer.upper;
    out_.storages.push_back(std::move(placed));
  }

  PolyId bytes_down(PolyId bits) { return space_.quotient(bits, space_.constant(8)); }

  PolyId storage_bytes(StorageId storage) {
    const PolyId count = element_count(space_, trace_.storages[storage].shape);
    const int bits = bit_width(views_.layouts[storage].dtype);
    if (bits == 0) return Space::kBad;
    return bits % 8 == 0 ? space_.scale(count, bits / 8) : bytes_for(space_, space_.scale(count, bits));
  }

  void touch(StorageId storage, Touch how) {
    const auto at = by_storage_.find(storage);
    if (at != by_storage_.end()) out_.storages[at->second].touches.push_back(how);
  }

  void add_step(std::uint32_t number) {
    const TraceStep& step = trace_.steps[number];
    for (std::uint32_t k = 0; k < step.reads.size(); ++k)
      touch(step.reads[k].storage, {step.origin, false, &step.reads[k], number, k});
    for (std::uint32_t k = 0; k < step.writes.size(); ++k)
      touch(step.writes[k].storage, {step.origin, true, &step.writes[k], number, k});
  }

  /// State that the next call begins with survives even where its contents at exit are free.
  bool survives(const Input& input, const TraceView& view) const {
    if (trace_.storages[view.storage].compared) return true;
    return input.kind != Input::Kind::user && !input.exit;
  }

  void add_boundary() {
    for (const TraceInput& input : trace_.inputs)
      for (const Input& given : case_.after.inputs) {
        if (case_.after.value(given.value).name != input.name) continue;
        const auto at = by_storage_.find(input.view.storage);
        if (at != by_storage_.end()) out_.storages[at->second].is_input = true;
        if (survives(given, input.view)) touch(input.view.storage, {leaving(), false, nullptr});
      }
    for (const TraceOutput& output : trace_.outputs)
      if (output.view) touch(output.view->storage, {leaving(), false, &*output.view});
  }

  static void set_life(PlacedStorage& placed) {
    if (!placed.storage) return;
    for (std::size_t k = 0; k < placed.touches.size(); ++k) {
      const std::int64_t at = placed.touches[k].at;
      placed.first = k == 0 ? at : std::min(placed.first, at);
      placed.last = std::max(placed.last, at + 1);
    }
    if (placed.is_input) placed.first = 0;
  }

  const Case& case_;
  const Trace& trace_;
  const ValueViews& views_;
  Sizes& sizes_;
  Space& space_;
  PlacedStorages out_;
  std::map<StorageId, std::size_t> by_storage_;
};

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

/// The next index in row-major order; false after the last.
bool advance(std::vector<std::int64_t>& index, const std::vector<std::int64_t>& shape) {
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (++index[k] < shape[k]) return true;
    index[k] = 0;
  }
  return false;
}

/// Bytes of a view whose elements take `bits` each, at `address` (bits) as a function of the index.
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

}  // namespace

PlacedStorages placed_storages(const Case& value, const Traced& traced, Sizes& sizes) {
  return Collector(value, traced, sizes).run();
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
  if (root.size() > rank) out = space.add(out, space.scale(root.back(), 8));
  return out;
}

std::optional<ByteRanges> bytes_of(Space& space, const Traced& traced, const PlacedStorage& placed,
                                   const TraceView* view, const SymbolValues& symbols) {
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
  const int bits = view->lanes > 0 ? static_cast<int>(8 * view->lanes)
                                   : bit_width(traced.views.layouts[view->storage].dtype);
  const PolyId address = bit_address(space, traced.views, *view, running(space, *view));
  return enumerate_bytes(space, address, bits, shape, symbols);
}

}  // namespace noclobber
