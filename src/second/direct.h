// The second engine: every obligation from the Traces alone, by questions to a solver. It shares nouns with
// the checker (Trace, Map, Obligation) and no reasoning: arithmetic, views, contents and calls are its own.
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
  std::set<Obligation> shown;   // of those that were asked about
  std::uint64_t by_solver = 0;  // how many of these took a question; the others are plain from the formulas
  std::vector<std::map<std::string, std::int64_t>> models;  // values of symbols in counterexamples: hints
};

/// Are signs of sizes and indices that are plain to see known, or is the solver asked about them too?
enum class Glances : std::uint8_t { none, known };

/// `before`: nullptr for a single graph. What is not in `shown` is open, not wrong. What is shown with
/// Unwritten::left_by_after holds together only: all equalities, or none.
DirectAnswer decide_directly(const Space& space, const Trace* before, const Trace& after,
                             const Boundary& boundary, const std::vector<Obligation>& obligations,
                             Questions& questions, Glances glances, Unwritten unwritten);

/// First without glances; with them for what stays open, whose questions are then smaller; then with the
/// other choice of what was never written.
DirectAnswer decide_directly(const Space& space, const Trace* before, const Trace& after,
                             const Boundary& boundary, const std::vector<Obligation>& obligations,
                             Questions& questions);

}  // namespace noclobber
