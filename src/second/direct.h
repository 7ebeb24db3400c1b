// The second engine: decides every obligation from the Traces alone, by questions to a solver. It shares data
// types with the checker (Trace, Map, Obligation) but no reasoning: arithmetic, views, contents and calls are
// its own.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/prover/questions.h"
#include "src/second/direct_contents.h"
#include "src/values/obligation.h"

namespace noclobber {

struct DirectAnswer {
  std::set<Obligation> shown;   // discharged obligations among those asked
  std::uint64_t by_solver = 0;  // discharged by a question; the others follow from the formulas alone
  std::vector<std::map<std::string, std::int64_t>> models;  // values of symbols in counterexamples, as hints
};

/// known: the signs of sizes and indices that simple bounds decide are taken as known. none: the solver is
/// asked about them, too.
enum class Glances : std::uint8_t { none, known };

/// `before`: nullptr for a single graph. An obligation that is not in `shown` is open, not refuted.
/// Equalities discharged with Unwritten::left_by_after hold only together: all of them, or none.
DirectAnswer decide_directly(const Space& space, const Trace* before, const Trace& after,
                             const Boundary& boundary, const std::vector<Obligation>& obligations,
                             Questions& questions, Glances glances, Unwritten unwritten);

/// Decides without glances first; then with them what stays open, in smaller questions; then with the other
/// choice for contents that were never written.
DirectAnswer decide_directly(const Space& space, const Trace* before, const Trace& after,
                             const Boundary& boundary, const std::vector<Obligation>& obligations,
                             Questions& questions);

}  // namespace noclobber
