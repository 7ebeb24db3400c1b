// How often a while_loop runs its body, where whole numbers that the graph itself writes down decide it.
#pragma once
#include <cstdint>
#include <optional>

#include "src/graph/case.h"
#include "src/ops/decl.h"

namespace noclobber {

/// Trips of `step`, a while_loop of `graph`, at most `most`; nothing where that depends on anything else:
/// what the condition gives must follow, by arithmetic of whole numbers, from constants and from carried
/// counters that no step writes into and that no other name shows.
std::optional<std::int64_t> known_trips(const Case& value, const OpSet& ops, const Graph& graph,
                                        const Step& step, std::int64_t most);

}  // namespace noclobber
