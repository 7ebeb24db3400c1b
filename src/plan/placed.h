// The storages that a plan places: where, how large, and when they are touched. Internal to plan/.
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

/// Which arm of which branch something runs in; a chain up to the outermost.
struct ArmGuard {
  static constexpr std::uint32_t kAlways = 0xffffffffU;
  std::uint32_t branch = 0;
  std::uint32_t arm = 0;
  std::uint32_t outer = kAlways;  // number of the guard around this one
};

/// One access of a storage by step `at` of the graph; the number of steps: by leaving the graph.
struct Touch {
  static constexpr std::uint32_t kNoStep = 0xffffffffU;
  std::uint32_t at = 0;
  bool writes = false;
  const TraceView* view = nullptr;  // nullptr: all of it
  std::uint32_t step = kNoStep;     // of the Trace
  std::uint32_t item = 0;           // which read or write of that step
  std::uint32_t moment = 0;         // within step `at`, for what its bodies do
  std::uint32_t guard = ArmGuard::kAlways;
  const Traced* traced = nullptr;  // whose Trace `view` and `step` are of
};

/// A storage of the Trace with a place, or a buffer that stands for itself.
struct PlacedStorage {
  std::optional<StorageId> storage;    // absent: life and size are what the plan says
  const Traced* traced = nullptr;      // whose storage it is: of the graph, or of one of its bodies
  std::vector<std::uint32_t> buffers;  // entries of the plan
  std::vector<PolyId> starts;          // per entry: the byte of the storage in which it begins
  std::vector<PolyId> bits;            // per entry: where in that byte; 0, or half of it for 4-bit elements
  std::vector<std::pair<const Traced*, const TraceView*>> views;  // per entry: its value, and whose it is
  std::uint32_t arena = 0;
  PolyId base = 0;   // of the first byte in the arena
  PolyId bytes = 0;  // that its elements take
  bool is_input = false;
  std::vector<Touch> touches;        // in order of the Trace
  std::int64_t first = 0, last = 0;  // life [first, last)
  std::string name;                  // of its first entry
};

struct PlacedStorages {
  std::vector<PlacedStorage> storages;
  std::vector<ArmGuard> guards;
  std::deque<Traced> bodies;              // of the graph's branches, each time one is entered
  std::vector<std::uint32_t> unresolved;  // entries whose value has no known storage, or lies in a body
  std::vector<std::string> outside;       // storages with bytes that steps make and that have no entry
};

PlacedStorages placed_storages(const Case& value, const OpSet& ops, const Traced& traced, Sizes& sizes);

/// Storages that steps of `graph` make, that have bytes and are not `placed`: the first value of each, by
/// its name in the plan.
void name_unplaced(const Space& space, const Graph& graph, const Traced& traced, const std::string& prefix,
                   const std::function<bool(StorageId)>& placed, std::vector<std::string>& out);

/// Bodies that steps are given, of `after` and of bodies.
std::vector<const Graph*> bodies_reached(const Case& value);

/// Can both happen in one run?
bool may_coexist(const std::vector<ArmGuard>& guards, std::uint32_t a, std::uint32_t b);

/// Distance in bits from the start of its storage of element `index` of the view (with its lane, if it
/// has lanes); kBad where the storage's strides are not known.
PolyId bit_address(Space& space, const ValueViews& views, const TraceView& view, const Index& index);

/// Disjoint half-open byte ranges from the start of the storage, sorted. Nothing: not known.
using ByteRanges = std::vector<std::pair<std::int64_t, std::int64_t>>;
std::optional<ByteRanges> bytes_of(Space& space, const PlacedStorage& placed, const Touch& touch,
                                   const SymbolValues& symbols);

}  // namespace noclobber
