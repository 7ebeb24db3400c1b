#include "src/report/evidence_kinds.h"

#include <algorithm>
#include <iterator>

namespace noclobber {
namespace {

/// The rules of lines of a derivation, in the order of Line::Rule (docs/certificate.md). The rule `below` is
/// counted as "below-quotient" if it is about a quotient.
constexpr const char* kLines[] = {"plain",   "fact", "below-index", "above",
                                  "divisor", "add",  "multiply",    "divide"};

constexpr const char* kLemmas[] = {"same-calls", "same-contents", "same-writes"};

void of_derivation(const Space& space, const Derivation& derivation, std::set<std::string>& out) {
  for (const Line& line : derivation.lines) {
    const bool below = line.rule == Line::Rule::below;
    const bool quotient =
        below && space.atom(space.atoms(space.terms(line.poly)[0])[0]).kind == Atom::Kind::quotient;
    const bool own = line.rule == Line::Rule::fact &&
                     std::count(derivation.facts.begin(), derivation.facts.end(), line.poly) > 0;
    out.insert(quotient ? "below-quotient"
               : own    ? "hypothesis"
                        : kLines[static_cast<std::size_t>(line.rule)]);
  }
}

void of_step(const checker::StepForm& step, std::set<std::string>& out) {
  if (!step.bodies.empty()) out.insert("body");
  for (const auto& row : step.access)
    for (const checker::Access access : row)
      if (access == checker::Access::before_write) out.insert("reads-first");
}

void of_trace(const checker::Trace& trace, std::set<std::string>& out) {
  for (const checker::Step& step : trace.steps) of_step(*step.form, out);
  if (!trace.reaching.empty()) out.insert("time-of-name");
  if (trace.any_order && !trace.edges.empty()) out.insert("edge");
  if (!trace.claims.empty()) out.insert("claim-of-dump");
  for (const checker::Placement& placement : trace.placements)
    out.insert(placement.below ? "neighbour-below" : "lowest-placement");
}

void of_refutation(const checker::Refutation& refutation, std::set<std::string>& out) {
  out.insert("refutation");
  if (!refutation.path.empty()) out.insert("path-to-leaf");
  if (!refutation.other.empty()) out.insert("two-elements");
  if (!refutation.order.empty()) out.insert("another-order");
}

}  // namespace

std::set<std::string> all_evidence_kinds() {
  std::set<std::string> out{"below-quotient",   "hypothesis",   "body",          "time-of-name",
                            "reads-first",      "edge",         "claim-of-dump", "neighbour-below",
                            "lowest-placement", "refutation",   "path-to-leaf",  "two-elements",
                            "another-order",    "solver-claim", "assumption",    "several-checks"};
  out.insert(std::begin(kLines), std::end(kLines));
  out.insert(std::begin(kLemmas), std::end(kLemmas));
  return out;
}

std::set<std::string> evidence_kinds(const Space& space, const checker::Certificate& certificate) {
  std::set<std::string> out;
  for (const Derivation& derivation : certificate.evidence) of_derivation(space, derivation, out);
  for (const checker::Check& check : certificate.checks) {
    if (check.before) of_trace(*check.before, out);
    of_trace(check.after, out);
    if (!check.claimed.empty()) out.insert("solver-claim");
    for (const checker::Lemma& lemma : check.lemmas)
      out.insert(kLemmas[static_cast<std::size_t>(lemma.kind)]);
  }
  if (certificate.checks.size() > 1) out.insert("several-checks");
  if (!certificate.answer.assumptions.empty()) out.insert("assumption");
  if (certificate.refutation) of_refutation(*certificate.refutation, out);
  return out;
}

}  // namespace noclobber
