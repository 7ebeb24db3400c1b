#include "src/report/evidence_kinds.h"

#include <algorithm>

#include "src/base/check.h"

namespace noclobber {
namespace {

using LineRule = Line::Rule;
using LemmaKind = checker::Lemma::Kind;

/// The rule of a line. `below` counts as "below-quotient" if it is about a quotient, `fact` as "hypothesis"
/// if it is one of the derivation's own.
const char* line_kind(LineRule rule) {
  switch (rule) {
    case LineRule::plain:
      return "plain";
    case LineRule::fact:
      return "fact";
    case LineRule::below:
      return "below-index";
    case LineRule::above:
      return "above";
    case LineRule::divisor:
      return "divisor";
    case LineRule::add:
      return "add";
    case LineRule::multiply:
      return "multiply";
    case LineRule::divide:
      return "divide";
  }
  NC_CHECK(false, "a rule without a name");
}

const char* lemma_kind(LemmaKind kind) {
  switch (kind) {
    case LemmaKind::calls:
      return "same-calls";
    case LemmaKind::contents:
      return "same-contents";
    case LemmaKind::writes:
      return "same-writes";
    case LemmaKind::identity:
      return "identity";
  }
  NC_CHECK(false, "a lemma without a name");
}

void of_derivation(const Space& space, const Derivation& derivation, std::set<std::string>& out) {
  for (const Line& line : derivation.lines) {
    const bool below = line.rule == Line::Rule::below;
    const bool quotient =
        below && space.atom(space.atoms(space.terms(line.poly)[0])[0]).kind == Atom::Kind::quotient;
    const bool own = line.rule == Line::Rule::fact &&
                     std::count(derivation.facts.begin(), derivation.facts.end(), line.poly) > 0;
    out.insert(quotient ? "below-quotient" : own ? "hypothesis" : line_kind(line.rule));
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
  for (auto rule = LineRule::plain; rule <= LineRule::divide;
       rule = static_cast<LineRule>(static_cast<int>(rule) + 1))
    out.insert(line_kind(rule));
  for (auto kind = LemmaKind::calls; kind <= LemmaKind::identity;
       kind = static_cast<LemmaKind>(static_cast<int>(kind) + 1))
    out.insert(lemma_kind(kind));
  return out;
}

std::set<std::string> evidence_kinds(const Space& space, const checker::Certificate& certificate) {
  std::set<std::string> out;
  for (const Derivation& derivation : certificate.evidence) of_derivation(space, derivation, out);
  for (const checker::Check& check : certificate.checks) {
    if (check.before) of_trace(*check.before, out);
    of_trace(check.after, out);
    if (!check.claimed.empty()) out.insert("solver-claim");
    for (const checker::Lemma& lemma : check.lemmas) out.insert(lemma_kind(lemma.kind));
  }
  if (certificate.checks.size() > 1) out.insert("several-checks");
  if (!certificate.answer.assumptions.empty()) out.insert("assumption");
  if (certificate.refutation) of_refutation(*certificate.refutation, out);
  return out;
}

}  // namespace noclobber
