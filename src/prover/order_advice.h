// What to do about orders: the fewest dependences that make every order right, and barriers without effect.
// A statement (the steps of one Step::unit) counts as one step here and is named by its first.
#pragma once
#include <cstdint>
#include <vector>

#include "src/prover/order.h"

namespace noclobber {

/// Of `open`, pairs that nothing orders: those from whose order that of all the others follows. There is one
/// such set. Empty if there are more than 2,000 pairs, or they contradict the dependences.
std::vector<Unordered> least_dependences(const Graph& graph, const std::vector<Unordered>& open);

struct BarrierAdvice {
  std::uint32_t barriers = 0;       // statements
  std::vector<std::uint32_t> idle;  // can all be left out at once: every conflicting pair stays ordered
  std::uint32_t regions = 0;        // fused ones
  std::uint32_t split = 0;          // so many fewer there could be without the idle barriers
};

/// Bound: 200 barriers in 5,000 steps; beyond it only `barriers` is told.
BarrierAdvice barrier_advice(Space& space, const Graph& graph, const Trace& trace);

}  // namespace noclobber
