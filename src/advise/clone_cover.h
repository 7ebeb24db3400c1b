// The cheapest set of clones that removes every hazard: a minimum-weight vertex cover of a bipartite graph.
//
// A hazard is a value that is still live and a write that overwrites it. It is removed by copying the value
// before the write, or by letting the write go to a copy. So a set of copies is correct iff it covers every
// edge. Its cost is the number of bytes copied.
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
  bool possible = true;  // false: neither end of some hazard may be copied
};

/// By maximum flow (König's theorem with weights). ensure: covers every hazard at the least cost; ties are
/// broken by Boost's cut, deterministically. require: the costs other than kNever sum to less than kNever
/// divided by the number of vertices plus one.
CloneCover cheapest_cover(const HazardGraph& graph);

}  // namespace noclobber
