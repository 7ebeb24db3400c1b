// Obligations on both graphs together: calls that may raise, and hazards with operations in flight.
#pragma once
#include <string>
#include <unordered_set>
#include <vector>

#include "src/effects/effects.h"

namespace noclobber {

/// A call that may raise.
struct Raised {
  StorageId storage = 0;   // a storage that only this call writes
  std::uint32_t step = 0;  // of the Trace, which writes it
  std::string key;         // what it computes, without what it reads
  std::uint64_t hash = 0;  // of the key and of what it reads
  std::string op;
};

/// Notes about one graph.
struct Noted {
  std::unordered_set<std::string> forms;  // of calls: the functional operator and the form of its arguments
  std::vector<Raised> raised;
  std::vector<Flown> flown;
};

/// Requires each call of `after` that may raise to be equal to a call of `before`. Sets `out.flown` to the
/// hazards with operations in flight that only `after` has.
void pair_noted(Traced& out, const Case& value, const Noted& before, const Noted& after);

}  // namespace noclobber
