// Two files name their symbols as they like: what the inputs' sizes say about them decides.
#pragma once
#include "src/lower/pairs/pairing.h"

namespace noclobber {

/// Gives the symbols of `after` the meaning that the sizes of matching inputs in `before` have: where an
/// input of `after` has the size s7 and that of `before` n, s7 is n. A symbol that no input shows keeps its
/// name, or gets a fresh one if another symbol has that name now. require: inputs match by name.
void match_symbols(const Side& before, Side& after);

}  // namespace noclobber
