// What two files know about the inputs and outputs that they have in common.
#pragma once
#include <optional>

#include "src/lower/pairs/pairing.h"

namespace noclobber {

/// Each file is believed about its own inputs; what one alone knows holds for the other, which cannot know,
/// and is an assumption with a name in `assumed`. require: inputs match by name.
/// error: both know, and say different things of which nobody can say what is meant.
std::optional<Diagnostic> share_facts(Side& before, Side& after, std::vector<std::string>& assumed);

/// The inputs of a program that was read as the lowered form of `before` are those of `before`, as the
/// program has them.
void take_from_program(const Graph& program, Graph& before);

/// Outputs that have keys in both files are put into the order of `before`; where one file alone says keys,
/// that they match by position is an assumption.
/// error: the keys are others.
std::optional<Diagnostic> match_outputs(const Graph& before, Graph& after, std::vector<std::string>& assumed);

}  // namespace noclobber
