// What is asked of the steps of both graphs together: which may raise, and which meet what is in flight.
#pragma once
#include <string>
#include <unordered_set>
#include <vector>

#include "src/effects/effects.h"

namespace noclobber {

/// A call that may raise.
struct Raised {
  StorageId storage = 0;   // which it alone writes
  std::uint32_t step = 0;  // of the Trace, which writes it
  std::string key;         // what it is, but for what it reads
  std::uint64_t hash = 0;  // and that
  std::string op;
};

/// Of one graph.
struct Noted {
  std::unordered_set<std::string> forms;  // of calls: the functional operator and what it is given
  std::vector<Raised> raised;
  std::vector<Flown> flown;
};

/// Asks for what may raise in `after` that it be equal to a call of `before`; `out.flown` is what `after`
/// alone does to what is in flight.
void pair_noted(Traced& out, const Case& value, const Noted& before, const Noted& after);

}  // namespace noclobber
