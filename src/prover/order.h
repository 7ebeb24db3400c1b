// Checks every order that dataflow allows: each pair of conflicting steps (both touch one element, at least
// one of them writes it) must be ordered by names, control edges and streams.
//
// Of three steps that conflict pairwise, first < middle < last, the order of the outer pair follows from the
// other two, so the outer pair is not asked where `middle` writes all that `last` touches.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/graph/case.h"
#include "src/trace/trace.h"

namespace noclobber {

class OrderGraph;

/// Two conflicting steps of the graph that nothing orders.
struct Unordered {
  std::uint32_t first = 0, second = 0;  // in listed order
  friend bool operator==(const Unordered&, const Unordered&) = default;
};

struct OrderAnswer {
  bool known = false;           // false: the dependences are cyclic, or there are too many pairs
  std::vector<Unordered> open;  // sorted; empty and known: every order computes what the listed one computes
};

/// The pairs of conflicting graph steps, in listed order, without those whose order follows from two other
/// pairs. Empty optional if there are too many pairs to look at.
std::optional<std::vector<Unordered>> conflicting_steps(Space& space, const Graph& graph, const Trace& trace);

/// Per pair: whether one of the two steps has to run before the other.
std::vector<bool> ordered_pairs(const OrderGraph& order, const std::vector<Unordered>& pairs);

/// The conflicting pairs that nothing orders. `trace` is the Trace of `graph`, with the step that returns.
/// Names in `after` of a step are results or ids. Bound: 50 million pairs of touches are looked at.
OrderAnswer unordered_conflicts(Space& space, const Graph& graph, const Trace& trace);

}  // namespace noclobber
