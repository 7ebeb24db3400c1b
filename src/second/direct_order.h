// The second engine's view of "every order that the edges allow": positions of graph steps as integers. A
// pair of steps that disturb each other is ordered if no assignment of positions has them the other way
// round.
#pragma once
#include "src/prover/order.h"
#include "src/second/direct_ask.h"

namespace noclobber {

/// Pairs of graph steps that disturb each other and that Trace::edges do not order, by questions alone.
/// Bound: 3,000 steps.
OrderAnswer unordered_directly(const Space& space, const Trace& trace, Questions& questions);

}  // namespace noclobber
