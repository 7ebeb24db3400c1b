// Matches the symbols of two files, which name them independently, by the sizes of their inputs.
#pragma once
#include "src/lower/pairs/pairing.h"

namespace noclobber {

/// Replaces the symbols of `after` by the sizes of matching inputs in `before`: if an input has the size s7
/// in `after` and n in `before`, s7 becomes n. An unmatched symbol keeps its name, or gets a fresh one if its
/// name now belongs to another symbol. require: inputs match by name.
void match_symbols(const Side& before, Side& after);

}  // namespace noclobber
