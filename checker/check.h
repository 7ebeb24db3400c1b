// What nc-check says of the text of a certificate. docs/certificate.md describes the text, docs/trust.md why
// the answer is right.
#pragma once
#include <string_view>

#include "checker/poly.h"

namespace noclobber::checker {

struct Answer {
  enum class Said : std::uint8_t { proved, refuted, not_proved, unreadable };
  Said said = Said::not_proved;
  std::string why;  // unreadable: where, and what was wanted there
  std::size_t obligations = 0, by_rule = 0, derivations = 0, by_identity = 0, by_solver = 0;
  std::vector<std::vector<bool>> used;  // per check and lemma: does an obligation rest on it?
  std::vector<std::pair<std::string, std::string>> inputs;  // sha256, name
  std::vector<std::string> assumptions;
  std::string about, what;  // the name of the check; "pair", "single graph" or "plan"
};

/// Why a certificate proves nothing that holds more than is needed, and nothing else is wrong.
constexpr const char *kSurplus = "surplus evidence", *kNotShown = "a lemma is not shown: ";

/// Decides from the Traces and the evidence alone; a plan that is a table is read and decided in one. A
/// `space` that searches adds evidence to what stands in the text; nc-check's does not.
Answer check(std::string_view text, Space& space);
Answer check_plan(std::string_view text);

}  // namespace noclobber::checker

namespace noclobber {

constexpr const char* kPlanFormat = "noclobber.plan/1";

/// In lower-case hexadecimal. A certificate ends with the checksum of its text: a word of it that differs
/// gives another one, and anything else does so but for one in 2^64.
std::string sha256(std::string_view bytes);
std::string checksum(std::string_view bytes);

}  // namespace noclobber
