// The second engine's check of "every order that the edges allow": positions of graph steps are integers. A
// pair of conflicting steps is ordered if no assignment of positions reverses it.
#pragma once
#include "src/prover/order.h"
#include "src/second/direct_ask.h"

namespace noclobber {

/// The pairs of conflicting graph steps that Trace::edges do not order, found by questions alone. Bound:
/// 3,000 steps.
OrderAnswer unordered_directly(const Space& space, const Trace& trace, Questions& questions);

}  // namespace noclobber
