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

/// The state that all Traces of one check share.
struct Engine {
  const CheckOptions& options;
  const OpSet& ops;
  Sizes& sizes;
  Questions& questions;
  /// Decisions about pairs of bodies, by their text. Each is decided once; nullptr while that is under way.
  std::map<std::string, std::shared_ptr<const Decided>> bodies = {};
  int nested = 0;  // the depth of nested bodies being decided
  Space& space() { return sizes.space(); }
};

/// The decision about a case.
struct Decided {
  bool proved = true;
  std::vector<Check> checks;               // bodies before the steps that run them; an open check is the last
  std::vector<Obligation> open;            // the open obligations of the last check
  std::optional<Case> of;                  // the world that `open` is about, if the case branches
  std::vector<std::string> unordered;      // conflicting pairs of steps without an order
  std::vector<Flown> flown;                // accesses to memory in flight
  std::set<std::string> inexact;           // assumptions of identities that hold up to rounding
  std::set<std::string> built_by;          // rows of identities without a lemma for the checker
  std::set<std::uint32_t> untold_strides;  // outputs whose compared strides are unknown
  std::vector<std::map<std::string, std::int64_t>> models;
  std::uint64_t obligations = 0, by_rule = 0, by_solver = 0, in_place = 0, storages = 0;
  std::uint64_t unmodelled = 0;  // steps without a model, in the world with the most
  BodyFacts before, after;
  /// The Traces of a case with a plan, without identities and without branches written out. Empty if the case
  /// branches.
  std::optional<Traced> running;
  bool simplified = false;  // the last check's Traces were rebuilt with identities
  ProofRun run{true, ""};   // of all proofs: worlds, bodies, the whole case
};

/// `key` prefixes the names of the checks of a body; "" for the whole case. Every world and every body of a
/// loop must be proved.
Decided decide_case(const Case& value, const std::string& key, Engine& engine);

/// Under `order: dataflow`, the conflicting pairs of steps that no dependence orders; else empty.
std::vector<std::string> unordered_steps(const Case& value, const Trace& after, Engine& engine);

}  // namespace noclobber
