// The cheapest set of clones that leaves no hazard: a minimum weighted vertex cover of a bipartite graph.
//
// A hazard is a value to keep and a write that ends it. It is gone if the value is copied before the write,
// or if the write goes to a copy. So a set of copies is right iff it covers every edge, and its cost is the
// bytes copied.
#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace noclobber {

struct HazardGraph {
  std::vector<std::uint64_t> keep_cost, write_cost;          // bytes of a copy; kNever: it may not be made
  std::vector<std::pair<std::size_t, std::size_t>> hazards;  // (value, write)
};
inline constexpr std::uint64_t kNever = std::uint64_t{1} << 62;

struct CloneCover {
  std::set<std::size_t> keep, write;
  std::uint64_t bytes = 0;
  bool possible = true;  // false: some hazard has two ends that may not be copied
};

/// By maximum flow (König's theorem with weights). ensure: covers every hazard at the least cost; of covers
/// that cost the same, the one that Boost's cut gives, always the same. require: the costs that are not
/// kNever sum to less.
CloneCover cheapest_cover(const HazardGraph& graph);

}  // namespace noclobber
