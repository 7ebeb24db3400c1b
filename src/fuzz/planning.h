// Memory planners under test: programs whose values want a place, or tables of buffers, and plans as they
// come back.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/fuzz/trial.h"
#include "src/graph/case.h"

namespace noclobber::fuzz {

/// A program of `seed` whose plan is to be made: `required` names what has to be placed, no buffer is there
/// yet. As a table: buffers with sizes in bytes and live ranges, of such a program or drawn, without offsets.
/// Nothing: not every seed gives one.
std::optional<Case> planning_problem(std::uint64_t seed, const std::vector<std::string>& profiles, Form form);

/// The problem with a plan that reuses nothing: each of `required` lies apart from all others.
Case placed_apart(const Case& problem);

/// The table of a problem, `id,lower,upper,size`.
std::string table_of(const Plan& plan);

/// The problem with the places that a table gives (`id,lower,upper,size,offset`), in an arena that holds
/// them.
Reading read_placed_table(const Case& problem, const std::string& text);

}  // namespace noclobber::fuzz
