// A certificate: what one verdict is about and what it rests on. docs/certificate.md describes its text.
#pragma once
#include <string_view>

#include "checker/obligation.h"

namespace noclobber {

/// One pair of Traces, or one Trace. `key`: the checks after it may have opaque steps that run this body.
struct Check {
  std::string key;
  std::optional<Trace> before;
  Trace after;
  Boundary boundary;
  std::vector<Obligation> by_solver;  // obligations that a solver claims
};

/// Where the last check breaks, for symbols as they are in the certificate.
struct Refutation {
  Obligation about;
  std::vector<std::int64_t> index, other;  // elements of the views that the obligation is about
  std::vector<std::pair<std::uint32_t, std::vector<std::int64_t>>> path;  // operand, its element; to a leaf
  std::vector<std::uint32_t> order;  // of graph steps, where not the listed one
};

struct Certificate {
  std::vector<std::pair<std::string, std::string>> inputs;  // sha256, name
  std::string about, operators;                             // id of the check; hash of the operator table
  std::vector<std::string> assumptions;
  std::map<std::string, std::int64_t> symbols;  // values that satisfy ranges and facts
  std::vector<Derivation> evidence;
  std::vector<Check> checks;  // the last one is the verdict's
  std::optional<Refutation> refutation;
};

/// `concrete`: symbols are read as their values. error: `fault` says why and where; the result is then empty.
std::optional<Certificate> read_certificate(Space& space, std::string_view text, bool concrete,
                                            std::string& fault);

struct Judgement {
  enum class Verdict : std::uint8_t { proved, refuted, not_proved };
  Verdict verdict = Verdict::not_proved;
  std::size_t obligations = 0, by_rule = 0, by_solver = 0, derivations = 0;
  std::string why;
};

/// Of a plan that is a table, reads and decides in one: `out`. error: as read_certificate.
constexpr const char* kPlanFormat = "noclobber.plan/1";
std::optional<Certificate> read_plan(std::string_view text, Judgement& out, std::string& fault);

/// Decides from the Traces and the evidence alone. `space` is that of the certificate.
Judgement judge(Space& space, const Certificate& certificate);
/// The trace with its graph steps in another order; nothing where its edges forbid it, or names are values.
std::optional<Trace> reordered(const Trace& trace, const std::vector<std::uint32_t>& order);
/// `space`: symbols are values. Does the last check break as the certificate says?
bool breaks(Space& space, const Certificate& certificate);

/// In lower-case hexadecimal. A certificate ends with the checksum of its text: a word of it that differs
/// gives another one, and anything else does so but for one in 2^64.
std::string sha256(std::string_view bytes);
std::string checksum(std::string_view bytes);

}  // namespace noclobber
