// Puts the obligations that the rules leave open to a solver. Its answers are claims: `proved` then names the
// solver as an assumption.
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

/// Values of the symbols that satisfy ranges and relations, searched among hints and small values; empty if
/// none are found.
std::map<std::string, std::int64_t> sample(const Case& value);

/// True if the symbols of the case may have values at all. Tries hints and small values, then the solver;
/// also true if that is undecided.
bool satisfiable(Space& space, const Case& value, Questions& questions);

struct Solved {
  std::set<Obligation> shown;                               // discharged: the solver answered unsat
  std::vector<std::map<std::string, std::int64_t>> models;  // values of symbols in counterexamples, as hints
  std::string engine;                                       // "z3 5.4.0"; "" if there is none
  bool hopeless = false;  // an obligation is false for some contents and operators, at all sizes
};

/// Tries to discharge every open equality.
Solved solve(Space& space, Terms& terms, Rules& rules, const std::vector<Obligation>& open,
             Questions& questions);

}  // namespace noclobber
