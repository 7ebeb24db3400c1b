// The runs to try: assignments of symbols, tiny ones first, and seeds of contents.
#pragma once
#include <vector>

#include "src/interp/replay.h"

namespace noclobber {

struct Trial {
  Symbols symbols;
  std::uint64_t contents_seed = 0;
};

/// True if every symbol is in its range and a multiple of `multiple_of`, and every relation of the case
/// holds. A symbol without a declared range is limited to 2 to 64: a fault at other sizes alone is no
/// witness.
bool allowed(const Case& value, const Symbols& symbols);

/// Distinct allowed assignments, hints first, then minima and their neighbours, then pseudo-random ones.
/// A case without symbols gives one empty assignment. Never more than `most`.
std::vector<Symbols> assignments(const Case& value, const ReplayHint& hint, std::size_t most);

/// At most `most` trials: counting contents first, then further seeds. With `hint.seed`, at most one.
std::vector<Trial> trials(const Case& value, const ReplayHint& hint, std::size_t most);

/// Assignments with one symbol made smaller, the smallest first.
std::vector<Symbols> smaller(const Case& value, const Symbols& symbols);

}  // namespace noclobber
