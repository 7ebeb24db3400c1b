// The trip count of a while_loop, where whole numbers in the graph itself determine it.
#pragma once
#include <cstdint>
#include <optional>

#include "src/graph/case.h"
#include "src/ops/decl.h"

namespace noclobber {

/// The trip count of `step`, a while_loop of `graph`, if it is at most `most`. Empty if it depends on
/// anything else: the condition must follow, by arithmetic on whole numbers, from constants and from
/// loop-carried counters that no step writes and that have no alias.
std::optional<std::int64_t> known_trips(const Case& value, const OpSet& ops, const Graph& graph,
                                        const Step& step, std::int64_t most);

}  // namespace noclobber
