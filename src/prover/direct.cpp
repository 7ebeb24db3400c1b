#include "src/prover/direct.h"

#include <algorithm>

#include "src/prover/direct_judge.h"

namespace noclobber {

namespace {
/// Steps that run under conditions, or that run what another check is about: not asked about yet.
bool has_branches(const Trace& trace) {
  return !trace.guards.empty() || std::any_of(trace.steps.begin(), trace.steps.end(), [](const TraceStep& s) {
    return !s.guards.empty() || !s.bodies.empty();
  });
}
}  // namespace

DirectAnswer decide_directly(const Space& space, const Trace* before, const Trace& after,
                             const Boundary& boundary, const std::vector<Obligation>& obligations,
                             Questions& questions, Glances glances) {
  DirectAnswer out;
  const auto blocked = [](const Obligation& o) { return o.kind == Obligation::Kind::modelled; };
  if (std::any_of(obligations.begin(), obligations.end(), blocked)) return out;
  if (has_branches(after) || (before != nullptr && has_branches(*before))) return out;
  Formulas formulas(glances == Glances::known);
  DirectSizes sizes(space, formulas);
  DirectAsk ask(sizes, questions);
  DirectContents contents(sizes, ask, before, after);
  DirectJudge judge(space, sizes, ask, questions, contents, before, after, boundary);
  std::uint64_t needed = ask.asked();
  for (const Obligation& o : obligations) {
    if (judge.shown(o)) {
      out.shown.insert(o);
      out.by_solver += ask.asked() > needed ? 1 : 0;
    }
    needed = ask.asked();
  }
  out.models = ask.models();
  return out;
}

DirectAnswer decide_directly(const Space& space, const Trace* before, const Trace& after,
                             const Boundary& boundary, const std::vector<Obligation>& obligations,
                             Questions& questions) {
  DirectAnswer out = decide_directly(space, before, after, boundary, obligations, questions, Glances::none);
  std::vector<Obligation> open;
  for (const Obligation& o : obligations)
    if (!out.shown.contains(o)) open.push_back(o);
  if (open.empty()) return out;
  DirectAnswer more = decide_directly(space, before, after, boundary, open, questions, Glances::known);
  out.shown.merge(more.shown);
  out.by_solver += more.by_solver;
  out.models.insert(out.models.end(), more.models.begin(), more.models.end());
  return out;
}

}  // namespace noclobber
