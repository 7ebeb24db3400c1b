// Merges what two files state about the inputs and outputs that they have in common.
#pragma once
#include <optional>

#include "src/lower/pairs/pairing.h"

namespace noclobber {

/// Each file is believed about its own inputs. Facts that only one file can know are copied to the other and
/// named in `assumed`. require: inputs match by name.
/// error: both files know, and they disagree on who holds an input or which inputs share a storage.
std::optional<Diagnostic> share_facts(Side& before, Side& after, std::vector<std::string>& assumed);

/// Copies the facts about the inputs of `program`, which was read as the lowered form of `before`, to the
/// inputs of `before` with the same names.
void take_from_program(const Graph& program, Graph& before);

/// Puts the outputs of `after` into the order of `before` if both files have output keys. If only one file
/// has keys, `assumed` states that outputs match by position.
/// error: `after` has no output for a key of `before`.
std::optional<Diagnostic> match_outputs(const Graph& before, Graph& after, std::vector<std::string>& assumed);

}  // namespace noclobber
