// Memory planners under test: programs whose values need a place, or tables of buffers, and the returned
// plans.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/fuzz/trial.h"
#include "src/graph/case.h"

namespace noclobber::fuzz {

/// The planning problem of `seed`: a program whose values in `required` must be placed, without buffers yet.
/// As a table: buffers with sizes in bytes and live ranges, of such a program or random, without offsets.
/// Empty for some seeds.
std::optional<Case> planning_problem(std::uint64_t seed, const std::vector<std::string>& profiles, Form form);

/// The problem with a plan that reuses nothing: the buffers of `required` are disjoint.
Case placed_apart(const Case& problem);

/// The table of a problem, `id,lower,upper,size`.
std::string table_of(const Plan& plan);

/// The problem with the offsets of a table (`id,lower,upper,size,offset`), in an arena that holds them.
Reading read_placed_table(const Case& problem, const std::string& text);

}  // namespace noclobber::fuzz
