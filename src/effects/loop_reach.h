// Which storages of a loop's operands its inputs and results may be on after any number of trips.
#pragma once
#include <cstdint>
#include <set>

#include "src/effects/effects.h"

namespace noclobber::effects {

/// The carried operands as which the storage of carried operand k may be passed at some trip, k included.
std::set<std::uint32_t> places(const BodyFacts& facts, std::uint32_t k);
/// The operands whose storage result k may be on after any number of trips, zero included.
std::set<std::uint32_t> reachable(const LoopUse& use, std::uint32_t k);
/// The same after at least one trip: for scan, and for loops that clone their operands if no trip runs.
std::set<std::uint32_t> passed_on(const LoopUse& use, std::uint32_t k);
/// The operands whose storage a body addresses from its start at some trip: directly, or because it may be
/// carried to such an input.
std::set<std::uint32_t> counted(const LoopUse& use);
/// True if no trip writes the storage of operand k, in this graph and in the other.
bool only_read(const LoopUse& use, std::uint32_t k);

}  // namespace noclobber::effects
