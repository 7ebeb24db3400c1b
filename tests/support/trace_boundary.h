// Is one Trace right for another, by running both? Sees what a caller can see, for given symbols.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/values/obligation.h"
#include "tests/support/generator.h"

namespace noclobber::testing {

struct Seen {
  bool usable = false;     // both could be run: sizes are small numbers, every view lies in its storage
  std::string difference;  // "" where none was seen
};

/// Contents, sharing, types, claims, placements; branches both ways; `orders` random orders where any may
/// run. `before` nullptr: of a single graph.
Seen boundary_difference(const Space& space, const Trace* before, const Trace& after,
                         const Boundary& boundary, const std::map<std::string, std::int64_t>& symbols,
                         int orders, Random& random);

/// Places that share in `after` and not in `before`, or the other way round where that is asked; "" if none.
std::string sharing_difference(const Space& space, const Trace& before, const Trace& after,
                               const Boundary& boundary, const std::map<std::string, std::int64_t>& symbols);

/// A random order of graph steps that the edges allow, steps of one graph step together.
Trace in_some_order(const Trace& trace, Random& random);

/// Two placements alive at one time on one byte, or one outside of its arena or its storage's uses; "" if
/// none.
std::string placement_fault(const Space& space, const Trace& trace,
                            const std::map<std::string, std::int64_t>& symbols);

}  // namespace noclobber::testing
