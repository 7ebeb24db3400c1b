// Two graphs as one program: a forward that saves values, then the backward that is given them.
//
//   forward(x):    y = exp(x); x.copy_(y); return y, x, y      returns y and saves x and y
//   backward(x, y, t):    g = mul(t, y); return g
//   composed(x, t):    y = exp(x); x.copy_(y); g = mul(t, y); return y, g
//
// What is saved is a storage, not a copy: the second graph finds there what the first left in it.
#pragma once
#include <cstddef>

#include "src/base/result.h"
#include "src/graph/case.h"

namespace noclobber {

/// `first`, then `second`. The outputs of `first` from number `returned` on are the first tensors, and the
/// first numbers, that `second` is given, in order; its other inputs are inputs of the whole by name, and so
/// are constants. Returned is what `first` returns and then what `second` does.
/// error: `second` is given too little, or something else than what was saved for it.
Result<Graph> composed(Graph first, const Graph& second, std::size_t returned);

}  // namespace noclobber
