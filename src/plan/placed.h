// The storages that a plan places: where, how large, and when they are touched. Internal to plan/.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/plan/numbers.h"
#include "src/plan/plan.h"

namespace noclobber {

/// One access of a storage by step `at` of the graph; the number of steps: by leaving the graph.
struct Touch {
  static constexpr std::uint32_t kNoStep = 0xffffffffU;
  std::uint32_t at = 0;
  bool writes = false;
  const TraceView* view = nullptr;  // nullptr: all of it
  std::uint32_t step = kNoStep;     // of the Trace
  std::uint32_t item = 0;           // which read or write of that step
};

/// A storage of the Trace with a place, or a buffer that stands for itself.
struct PlacedStorage {
  std::optional<StorageId> storage;    // absent: life and size are what the plan says
  std::vector<std::uint32_t> buffers;  // entries of the plan
  std::vector<PolyId> starts;          // per entry: where it begins in the storage, in bytes
  std::uint32_t arena = 0;
  PolyId base = 0;   // of the first byte in the arena
  PolyId bytes = 0;  // that its elements take
  bool is_input = false;
  std::vector<Touch> touches;           // in order of the Trace
  std::int64_t first = 0, last = 0;     // life [first, last)
  std::string name;                     // of its first entry
};

struct PlacedStorages {
  std::vector<PlacedStorage> storages;
  std::vector<std::uint32_t> unresolved;  // entries whose value has no known storage, or lies in a body
};

PlacedStorages placed_storages(const Case& value, const Traced& traced, Sizes& sizes);

/// Distance in bits from the start of its storage of element `index` of the view (with its lane, if it
/// has lanes); kBad where the storage's strides are not known.
PolyId bit_address(Space& space, const ValueViews& views, const TraceView& view, const Index& index);

/// Disjoint half-open byte ranges from the start of the storage, sorted. Nothing: not known.
using ByteRanges = std::vector<std::pair<std::int64_t, std::int64_t>>;
std::optional<ByteRanges> bytes_of(Space& space, const Traced& traced, const PlacedStorage& placed,
                                   const TraceView* view, const SymbolValues& symbols);

}  // namespace noclobber
