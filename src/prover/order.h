// Every order that dataflow allows: is each pair of steps that touch one element, one of them writing it,
// ordered by names, control edges and streams?
//
// Of three steps that disturb each other pairwise, first < middle < last, the pair of the outer two follows
// from the others and is not asked.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/graph/case.h"
#include "src/trace/trace.h"

namespace noclobber {

class OrderGraph;

/// Two steps of the graph that disturb each other and that nothing orders.
struct Unordered {
  std::uint32_t first = 0, second = 0;  // in listed order
  friend bool operator==(const Unordered&, const Unordered&) = default;
};

struct OrderAnswer {
  bool known = false;           // false: the dependences are cyclic, or too many to follow
  std::vector<Unordered> open;  // sorted; empty and known: all orders give what the listed one gives
};

/// Pairs of graph steps, in listed order, that disturb each other, but those that follow from two others.
/// Nothing: too many to look at.
std::optional<std::vector<Unordered>> conflicting_steps(Space& space, const Graph& graph, const Trace& trace);

/// Per pair: does one of the two have to run before the other?
std::vector<bool> ordered_pairs(const OrderGraph& order, const std::vector<Unordered>& pairs);

/// `trace` is the Trace of `graph`, with the step that returns. Names in `after` of a step are results or
/// ids. Bound: 50 million pairs of touches looked at.
OrderAnswer unordered_conflicts(Space& space, const Graph& graph, const Trace& trace);

}  // namespace noclobber
