// Case -> Traces: who reads and writes which view of which storage, meaning which value. Trusted.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/obligation.h"
#include "src/ops/decl.h"
#include "src/ops/sizes.h"

namespace noclobber {

/// The Traces of a Case, over one Space.
struct Traced {
  std::optional<Trace> before;
  Trace after;
  std::uint64_t in_place = 0;  // steps of `after` that write storage that existed before them
};

/// What cannot be modelled is in Trace::unknown, with a reason of cli.md and a name.
Traced trace_case(const Case& value, const OpSet& ops, Sizes& sizes);

/// Every order of `graph`'s steps that its names, control edges and streams allow. The return comes last.
void add_order(Trace& trace, const Graph& graph);

}  // namespace noclobber
