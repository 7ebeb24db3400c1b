// Both graphs of a Case run on many contents, and everything a caller can see compared: the oracle of the
// random tests. Knows nothing of Traces or rules.
#pragma once
#include <string>

#include "src/graph/case.h"

namespace noclobber::fuzz {

struct BruteForce {
  bool usable = false;     // before runs to its end
  std::string difference;  // "": none was seen
};

/// Undefined elements of `before` are not compared, so a difference is always a real one.
BruteForce brute_force(const Case& value);

/// Both graphs as FX text.
std::string both_graphs(const Case& value);

}  // namespace noclobber::fuzz
