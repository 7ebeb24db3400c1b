// Which storages of a loop's operands may be where after any number of trips.
#pragma once
#include <cstdint>
#include <set>

#include "src/effects/effects.h"

namespace noclobber::effects {

/// Where the storage of carried operand k may be carried at some trip.
std::set<std::uint32_t> places(const BodyFacts& facts, std::uint32_t k);
/// Inputs of the first trip whose storage result k may lie on, after any number of trips.
std::set<std::uint32_t> reachable(const LoopUse& use, std::uint32_t k);
/// The same where results are those of a last trip: a scan has one, and other loops clone without one.
std::set<std::uint32_t> passed_on(const LoopUse& use, std::uint32_t k);
/// Inputs whose storage bodies count from its start, at some trip: that of another may be carried there
/// later.
std::set<std::uint32_t> counted(const LoopUse& use);
/// Is the storage of operand k written at no trip, here and in the other graph?
bool only_read(const LoopUse& use, std::uint32_t k);

}  // namespace noclobber::effects
