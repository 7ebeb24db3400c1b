// Two graphs as one program: a forward that saves values, then the backward that is given them.
//
//   forward(x):    y = exp(x); x.copy_(y); return y, x, y      returns y and saves x and y
//   backward(x, y, t):    g = mul(t, y); return g
//   composed(x, t):    y = exp(x); x.copy_(y); g = mul(t, y); return y, g
//
// A saved value is a storage, not a copy: the second graph reads what the first left in it.
#pragma once
#include <cstddef>

#include "src/base/result.h"
#include "src/graph/case.h"

namespace noclobber {

/// `first`, then `second`. The outputs of `first` from number `returned` on are saved: in order, they become
/// the first tensor inputs and the first `numbers` of `second`. Its other inputs and its constants become
/// inputs of the result, by name. The result returns the first `returned` outputs of `first`, then those of
/// `second`.
/// error: `first` has too few outputs, more is saved than `second` takes, or a saved value does not match its
/// input.
Result<Graph> composed(Graph first, const Graph& second, std::size_t returned);

}  // namespace noclobber
