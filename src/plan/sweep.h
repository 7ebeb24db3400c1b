// The sweep: which placements meet in bytes while both are alive?
//
//   arena   bytes 0    16    32          time 0: a enters, no neighbour
//           |  a  |  b  |                time 1: b enters; the neighbour below it is a
//                                        time 2: a leaves
//
// Live placements of an arena are kept by offset. They are disjoint, so a newcomer that meets any of them
// meets one of its two neighbours. Empty placements and empty lives meet nothing.
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
  /// May `born` take over bytes of `dying`, whose last moment is the first of `born`? Absent: never.
  std::function<bool(std::uint32_t dying, std::uint32_t born)> takes_over;
  /// Called for every two that become neighbours when one of them enters. Absent: nobody asks.
  std::function<void(std::uint32_t lower, std::uint32_t upper)> neighbours;
};

struct SweepAnswer {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  std::vector<std::uint32_t> below;  // per placement: its neighbour below when it entered, or kNone
  std::optional<std::pair<std::uint32_t, std::uint32_t>> clash;  // the first that was met; then it stops
};

/// Cost: n log n; 4 bytes per placement are kept beside what is live.
SweepAnswer sweep(std::span<const Placement> placements, const SweepHooks& hooks);

/// All pairs that meet in bytes and time, in order. Quadratic: for plans of a few thousand buffers.
std::vector<std::pair<std::uint32_t, std::uint32_t>> all_meetings(std::span<const Placement> placements);

}  // namespace noclobber
