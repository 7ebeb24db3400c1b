// Runs both graphs of a Case on many contents and compares everything that a caller can observe: the oracle
// of the random tests. It is independent of Traces and rules.
#pragma once
#include <string>

#include "src/graph/case.h"

namespace noclobber::fuzz {

struct BruteForce {
  bool usable = false;     // `before` runs to its end
  std::string difference;  // "": none was found
};

/// Undefined elements of `before` are not compared, so every difference is real.
BruteForce brute_force(const Case& value);

/// The text of both graphs, as FX text.
std::string both_graphs(const Case& value);

}  // namespace noclobber::fuzz
