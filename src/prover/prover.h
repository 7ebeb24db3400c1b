// What the rules leave open, put to a solver. Its answers are claims: `proved` then names it as an
// assumption.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/graph/case.h"
#include "src/prover/questions.h"
#include "src/values/obligation.h"

namespace noclobber {

/// Values of the symbols that satisfy ranges and relations, tried from hints and small ones; else empty.
std::map<std::string, std::int64_t> sample(const Case& value);

/// Can the symbols of the case have values at all? Tries hints and small values, then the solver; where
/// nobody can tell, yes.
bool satisfiable(Space& space, const Case& value, Questions& questions);

struct Solved {
  std::set<Obligation> shown;                               // the solver found no counterexample to these
  std::vector<std::map<std::string, std::int64_t>> models;  // values of symbols in counterexamples: hints
  std::string engine;                                       // "z3 5.4.0"; "" if there is none
  bool hopeless = false;  // one of the open ones is false for some contents and operators, whatever the sizes
};

/// Tries every open equality.
Solved solve(Space& space, Terms& terms, Rules& rules, const std::vector<Obligation>& open,
             Questions& questions);

}  // namespace noclobber
