// map and scan over a known number of items, written out: what a memory plan is judged on.
//
//   r = map_impl(f, [x], [y])    becomes    r = empty; r[0].copy_(f(x[0], y)); r[1].copy_(f(x[1], y)); ...
//   c, r = scan(f, [c], [x])                c = clone(c); ... c.copy_(new c) after each trip
//
// Rows of a result are written as the trips go, so its storage is in use from the first of them on.
#pragma once
#include <optional>

#include "src/graph/case.h"

namespace noclobber {

/// Loops whose number of trips, operands or result types are not known stay; so does all of a graph that
/// would grow beyond 4096 steps. Places of a body's values become places of each trip's values.
Case with_loops_written_out(const Case& value);

/// Both graphs of a pair with each loop written out whose number of trips is known, as it runs: a while_loop
/// too. Nothing where there is none, or a graph would grow beyond 1024 steps.
std::optional<Case> with_trips_written_out(const Case& value);

}  // namespace noclobber
