// The checker as a campaign asks it.
#pragma once
#include <functional>
#include <set>
#include <string>

#include "src/graph/case.h"
#include "src/report/record.h"

namespace noclobber::fuzz {

/// by_rules: as a user runs it. by_solver: --engine z3. starved: that with next to no effort per question.
/// advising: what `advise` says.
enum class Way : std::uint8_t { by_rules, by_solver, starved, advising };

struct Certified {
  std::string disagreement;        // of nc-check with the status; "" where it agrees
  std::set<std::string> evidence;  // kinds of it that the certificate holds
};

struct Checker {
  /// `alarm`: the pipeline saw a contradiction itself.
  std::function<CheckRecord(const Case&, Way way, bool& alarm)> check;
  /// The certificate of a check that ends with this status.
  std::function<Certified(const Case&, Status)> certificate;
};

}  // namespace noclobber::fuzz
