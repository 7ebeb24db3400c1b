// Case -> worlds and bodies -> Traces -> obligations -> evidence -> decision.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/check/check.h"
#include "src/effects/effects.h"
#include "src/prover/questions.h"
#include "src/values/certificate.h"
#include "src/watch/proof_run.h"

namespace noclobber {

struct Decided;

/// What all Traces of one check share.
struct Engine {
  const CheckOptions& options;
  const OpSet& ops;
  Sizes& sizes;
  Questions& questions;
  /// Pairs of bodies by what they say, each decided once; nullptr while that is under way.
  std::map<std::string, std::shared_ptr<const Decided>> bodies = {};
  int nested = 0;  // bodies in bodies that are being decided
  Space& space() { return sizes.space(); }
};

/// What was shown of a case.
struct Decided {
  bool proved = true;
  std::vector<Check> checks;               // bodies before what runs them; the first open one is the last
  std::vector<Obligation> open;            // of the last check
  std::optional<Case> of;                  // the world that `open` is about, where the case branches
  std::vector<std::string> unordered;      // pairs of steps that may run either way
  std::vector<Flown> flown;                // touched while it was in flight
  std::set<std::string> inexact;           // identities that hold but for rounding
  std::set<std::string> built_by;          // rows of identities that the checker is shown no lemma about
  std::set<std::uint32_t> untold_strides;  // outputs whose strides are to be compared, and nobody tells
  std::vector<std::map<std::string, std::int64_t>> models;
  std::uint64_t obligations = 0, by_rule = 0, by_solver = 0, in_place = 0, storages = 0;
  std::uint64_t unmodelled = 0;  // steps that were not understood in one of the worlds
  BodyFacts before, after;
  /// Of a case with a plan, as it runs: no identities, no branches written out. Absent: it has branches.
  std::optional<Traced> running;
  bool simplified = false;  // the last check's Traces are others: they use identities
  ProofRun run{true, ""};   // of all that is proved: worlds, bodies, the whole
};

/// `key` names the checks of a body; "" for the whole. Every world must be proved, and every body of a loop.
Decided decide_case(const Case& value, const std::string& key, Engine& engine);

/// Under `order: dataflow`: pairs of steps that no dependence orders and that disturb each other.
std::vector<std::string> unordered_steps(const Case& value, const Trace& after, Engine& engine);

}  // namespace noclobber
