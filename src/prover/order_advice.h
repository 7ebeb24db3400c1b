// Advice about orders: the fewest dependences that make every order correct, and the barriers that have no
// effect. A statement (the steps of one Step::unit) counts as one step here and is named by its first.
#pragma once
#include <cstdint>
#include <vector>

#include "src/prover/order.h"

namespace noclobber {

/// The transitive reduction of `open`, pairs that nothing orders: the unique smallest subset whose order
/// implies the order of all other pairs. Empty if there are more than 2,000 pairs, or if they contradict the
/// dependences.
std::vector<Unordered> least_dependences(const Graph& graph, const std::vector<Unordered>& open);

struct BarrierAdvice {
  std::uint32_t barriers = 0;       // statements
  std::vector<std::uint32_t> idle;  // can all be left out at once: each conflicting pair stays ordered
  std::uint32_t regions = 0;        // fused regions
  std::uint32_t split = 0;          // by how many `regions` drops without the idle barriers
};

/// Bound: 200 barriers in 5,000 steps; beyond it only `barriers` is filled in.
BarrierAdvice barrier_advice(Space& space, const Graph& graph, const Trace& trace);

}  // namespace noclobber
