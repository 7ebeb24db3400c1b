// The second engine's view of "every order that dataflow allows": positions of steps as integers. A pair of
// steps that disturb each other is ordered if no assignment of positions has them the other way round.
#pragma once
#include "src/prover/order.h"
#include "src/prover/questions.h"

namespace noclobber {

/// As unordered_conflicts(), by questions alone. Bound: 3,000 steps.
OrderAnswer unordered_directly(const Space& space, const Graph& graph, const Trace& trace,
                               Questions& questions);

}  // namespace noclobber
