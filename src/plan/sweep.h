// The sweep: finds placements that overlap in bytes while both are live.
//
//   arena   bytes 0    16    32          time 0: a enters, no neighbour
//           |  a  |  b  |                time 1: b enters; the neighbour below it is a
//                                        time 2: a leaves
//
// Live placements of an arena are kept by offset. They are disjoint, so a newcomer that overlaps any of them
// overlaps one of its two neighbours. Empty placements and empty live ranges overlap nothing.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "src/graph/placement.h"

namespace noclobber {

bool meet_in_bytes(const Placement& a, const Placement& b);
bool meet_in_time(const Placement& a, const Placement& b);

struct SweepHooks {
  /// True if `born` may take over bytes of `dying`, whose last moment is the first of `born`. Absent: never.
  std::function<bool(std::uint32_t dying, std::uint32_t born)> takes_over;
  /// Called for every two placements that become neighbours when one of them enters. May be absent.
  std::function<void(std::uint32_t lower, std::uint32_t upper)> neighbours;
};

struct SweepAnswer {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  std::vector<std::uint32_t> below;  // per placement: its neighbour below when it entered, or kNone
  std::optional<std::pair<std::uint32_t, std::uint32_t>> clash;  // the first overlap; the sweep stops there
};

/// Cost: n log n time; 4 bytes per placement are kept besides the live ones.
SweepAnswer sweep(std::span<const Placement> placements, const SweepHooks& hooks);

/// All pairs that overlap in bytes and time, in order. Quadratic: for plans of a few thousand buffers.
std::vector<std::pair<std::uint32_t, std::uint32_t>> all_meetings(std::span<const Placement> placements);

}  // namespace noclobber
