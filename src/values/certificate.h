// A certificate: what one verdict is about and what it rests on. docs/certificate.md describes its text.
#pragma once
#include "checker/kernel/certificate.h"
#include "src/values/obligation.h"

namespace noclobber {

/// One pair of Traces, or one Trace. Opaque steps of later checks may run it as a body, by its `key`.
struct Check {
  std::string key;
  std::optional<Trace> before;
  Trace after;
  Boundary boundary;
  std::vector<Obligation> by_solver = {};   // obligations that a solver claims
  std::vector<checker::Lemma> lemmas = {};  // for the checker: equalities between both Traces
};

struct Certificate {
  std::vector<std::pair<std::string, std::string>> inputs;  // sha256, name
  std::string about, operators;                             // id of the check; hash of the operator table
  std::vector<std::string> assumptions;
  std::map<std::string, std::int64_t> symbols;  // values that satisfy ranges and facts
  std::vector<Derivation> evidence;
  std::vector<Check> checks;  // the last one is the verdict's
  std::optional<checker::Refutation> refutation;
};

}  // namespace noclobber
