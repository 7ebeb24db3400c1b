// The storages that a plan places: where they lie, how large they are, and when they are touched. Internal to
// plan/.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/plan/numbers.h"
#include "src/plan/plan.h"

namespace noclobber {

/// The arm of a branch that something runs in; a chain up to the outermost branch.
struct ArmGuard {
  static constexpr std::uint32_t kAlways = 0xffffffffU;
  std::uint32_t branch = 0;
  std::uint32_t arm = 0;
  std::uint32_t outer = kAlways;  // number of the guard around this one
};

/// One access of a storage by step `at` of the graph; `at` is the number of steps for leaving the graph.
struct Touch {
  static constexpr std::uint32_t kNoStep = 0xffffffffU;
  std::uint32_t at = 0;
  bool writes = false;
  const TraceView* view = nullptr;  // nullptr: the whole storage
  std::uint32_t step = kNoStep;     // of the Trace
  std::uint32_t item = 0;           // index of the read or write in that step
  std::uint32_t moment = 0;         // order within step `at`, for what its bodies do
  std::uint32_t guard = ArmGuard::kAlways;
  const Traced* traced = nullptr;  // the Trace that `view` and `step` belong to
};

/// A storage of the Trace with a place, or a buffer without a value.
struct PlacedStorage {
  std::optional<StorageId> storage;    // absent: live range and size are those that the plan states
  const Traced* traced = nullptr;      // the owner of the storage: the graph or one of its bodies
  std::vector<std::uint32_t> buffers;  // entries of the plan
  std::vector<PolyId> starts;          // per entry: the byte of the storage at which it begins
  std::vector<PolyId> bits;            // per entry: its first bit in that byte: 0, or 4 in 4-bit elements
  std::vector<std::pair<const Traced*, const TraceView*>> views;  // per entry: its value, and its owner
  std::uint32_t arena = 0;
  PolyId base = 0;   // offset of the storage's first byte in the arena
  PolyId bytes = 0;  // taken by its elements
  bool is_input = false;
  std::vector<Touch> touches;        // in the order of the Trace
  std::int64_t first = 0, last = 0;  // live range [first, last)
  std::string name;                  // of its first entry
};

struct PlacedStorages {
  std::vector<PlacedStorage> storages;
  std::vector<ArmGuard> guards;
  std::deque<Traced> bodies;              // of the graph's branches, once for each entry
  std::vector<std::uint32_t> unresolved;  // entries whose value has no known place or is in a body not walked
  std::vector<std::string> outside;       // written storages with bytes and no entry
};

PlacedStorages placed_storages(const Case& value, const OpSet& ops, const Traced& traced, Sizes& sizes);

/// Appends the storages that steps of `graph` make, that have bytes and are not `placed`: the first value of
/// each, by its name in the plan.
void name_unplaced(const Space& space, const Graph& graph, const Traced& traced, const std::string& prefix,
                   const std::function<bool(StorageId)>& placed, std::vector<std::string>& out);

/// The bodies that steps of `after`, or of such bodies, refer to.
std::vector<const Graph*> bodies_reached(const Case& value);

/// True if both guards can hold in one run.
bool may_coexist(const std::vector<ArmGuard>& guards, std::uint32_t a, std::uint32_t b);

/// Distance in bits of element `index` of the view (with its lane, if it has lanes) from the start of its
/// storage; kBad if the storage's strides are not known.
PolyId bit_address(Space& space, const ValueViews& views, const TraceView& view, const Index& index);

/// Disjoint half-open byte ranges from the start of the storage, sorted. Empty optional: not known.
using ByteRanges = std::vector<std::pair<std::int64_t, std::int64_t>>;
std::optional<ByteRanges> bytes_of(Space& space, const PlacedStorage& placed, const Touch& touch,
                                   const SymbolValues& symbols);

}  // namespace noclobber
