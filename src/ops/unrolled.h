// Unrolls map and scan over a known number of items, for the analysis of memory plans.
//
//   r = map_impl(f, [x], [y])    becomes    r = empty; r[0].copy_(f(x[0], y)); r[1].copy_(f(x[1], y)); ...
//   c, r = scan(f, [c], [x])                c = clone(c); ... c.copy_(new c) after each trip
//
// Rows of a result are written trip by trip, so its storage is live from the first trip on.
#pragma once
#include <optional>

#include "src/graph/case.h"

namespace noclobber {

/// Loops whose trip count, operands or result types are unknown stay; the whole case stays if a graph would
/// grow beyond 4096 steps. Plan entries for values of a body become entries for the values of each trip.
Case with_loops_written_out(const Case& value);

/// Unrolls, in both graphs of a pair, each loop of known trip count as it runs, while_loop included. A graph
/// that would grow beyond 1024 steps stays. Empty if neither graph changes, or if the case has a memory plan.
std::optional<Case> with_trips_written_out(const Case& value);

}  // namespace noclobber
