// Which runs are worth trying: assignments of symbols, tiny ones first, and seeds of contents.
#pragma once
#include <vector>

#include "src/interp/replay.h"

namespace noclobber {

struct Trial {
  Symbols symbols;
  std::uint64_t contents_seed = 0;
};

/// Within its range, a multiple of what it must be, and every relation of the case holds. Nothing unusual for
/// a symbol whose range nobody told: what happens there alone is no witness.
bool allowed(const Case& value, const Symbols& symbols);

/// Distinct allowed assignments, hints first, then minima and their neighbours, then pseudo-random ones.
/// A case without symbols gives one empty assignment. Never more than `most`.
std::vector<Symbols> assignments(const Case& value, const ReplayHint& hint, std::size_t most);

/// At most `most` trials: every assignment with counting contents first, then further seeds.
std::vector<Trial> trials(const Case& value, const ReplayHint& hint, std::size_t most);

/// Assignments with one symbol made smaller, the smallest first.
std::vector<Symbols> smaller(const Case& value, const Symbols& symbols);

}  // namespace noclobber
