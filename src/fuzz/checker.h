// The interface of the checker for a campaign.
#pragma once
#include <functional>
#include <set>
#include <string>

#include "src/graph/case.h"
#include "src/report/record.h"

namespace noclobber::fuzz {

/// by_rules: as a user runs it. by_solver: --engine z3. starved: by_solver with almost no effort per
/// question. advising: `advise`.
enum class Way : std::uint8_t { by_rules, by_solver, starved, advising };

struct Certified {
  std::string disagreement;        // how nc-check disagrees with the status; "" if it agrees
  std::set<std::string> evidence;  // kinds of evidence in the certificate
};

struct Checker {
  /// `alarm`: the pipeline itself found a contradiction.
  std::function<CheckRecord(const Case&, Way way, bool& alarm)> check;
  /// The result for the certificate of a check that ends with this status.
  std::function<Certified(const Case&, Status)> certificate;
};

}  // namespace noclobber::fuzz
