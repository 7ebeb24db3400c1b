// Decides which differences count. A difference that passes through an operator without a congruent partner
// in the other graph may be rounding, or due to two spellings of one function that hash kernels do not
// identify: it is approximated, never refuted.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "src/interp/replay_expectation.h"
#include "src/interp/replay_graph.h"

namespace noclobber {

/// A graph and a run of it.
struct Ran {
  const Graph* graph = nullptr;
  const Run* run = nullptr;
};

/// The steps that `target` depends on by data through storages, in listed order.
std::vector<std::uint32_t> backward_slice(const OpSet& ops, const Ran& ran, const Target& target);
/// The same for the operands of step `at`.
std::vector<std::uint32_t> backward_slice_of_step(const OpSet& ops, const Ran& ran, std::uint32_t at);

class Guard {
 public:
  Guard(const Case& value, const OpSet& ops, const Ran& before, const Ran& after);
  /// The unmatched operators, or constants of unknown contents, that may explain this difference. Empty if it
  /// counts. `exact`: the graphs are meant to agree to the bit, so nothing is excused by rounding.
  std::vector<std::string> doubts(const Difference& difference, const Expectation& expected,
                                  bool exact = false) const;
  /// Constants of unknown contents that only one graph reads in the slice of the difference.
  std::vector<std::string> one_sided_constants(const Difference& difference) const;
  /// Operators whose calls differ between the graphs, in number or, if hashed, in the types of operands.
  const std::set<std::string>& unmatched() const { return unmatched_; }

 private:
  bool convincing(const Difference& difference, const Expectation& expected,
                  const std::set<std::string>& operators, bool to_the_bit) const;
  bool exact(const Difference& difference) const;
  bool is_hashed(const std::string& op) const;
  std::vector<std::string> forgiving(const Difference& difference, const Expectation& expected) const;
  bool declared_effects_differ() const;
  bool draws_again() const;
  std::vector<std::string> one_sided_draws(const Difference& difference) const;
  std::vector<std::uint32_t> slice(const Ran& ran, const Difference& difference) const;

  const Case& value_;
  const OpSet& ops_;
  Ran before_, after_;
  std::set<std::string> unmatched_;  // functional names
};

/// Functional names of the compute operators of these steps, bodies included, one per occurrence. Operators
/// that only move data and ran exactly are left out.
std::multiset<std::string> compute_operators(const Case& value, const OpSet& ops, const Ran& ran,
                                             const std::vector<std::uint32_t>& steps);
/// True if the operator moves, creates or reinterprets data without computing.
bool moves_data(const std::string& functional);

}  // namespace noclobber
