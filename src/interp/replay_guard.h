// Which differences may be believed. A difference that passes through an operator without a congruent
// partner in the other graph may be mere rounding, or two spellings of one function that the hash kernels
// cannot see through: it is approximated, never refuted.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "src/interp/replay_expectation.h"
#include "src/interp/replay_graph.h"

namespace noclobber {

/// One graph with a run of it.
struct Ran {
  const Graph* graph = nullptr;
  const Run* run = nullptr;
};

/// Steps of the graph, listed, that anything at `target` depends on by data, through storages.
std::vector<std::uint32_t> backward_slice(const OpSet& ops, const Ran& ran, const Target& target);
/// The same for what step `at` is given.
std::vector<std::uint32_t> backward_slice_of_step(const OpSet& ops, const Ran& ran, std::uint32_t at);

class Guard {
 public:
  Guard(const Case& value, const OpSet& ops, const Ran& before, const Ran& after);
  /// Names of unmatched operators that this difference may be due to; empty: it counts as it stands.
  /// `exact`: the graphs are said to be the same to the bit, so nothing is excused by rounding.
  std::vector<std::string> doubts(const Difference& difference, const Expectation& expected,
                                  bool exact = false) const;
  /// Constants of unknown contents that one graph alone reads for what differs.
  std::vector<std::string> one_sided_constants(const Difference& difference) const;
  /// Operators that one graph has more often than the other.
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

/// Functional names of the compute operators of these steps, bodies included; what only moves data and ran
/// exactly is left out. One entry per occurrence.
std::multiset<std::string> compute_operators(const Case& value, const OpSet& ops, const Ran& ran,
                                             const std::vector<std::uint32_t>& steps);
/// Moves, makes or reinterprets data without computing.
bool moves_data(const std::string& functional);

}  // namespace noclobber
