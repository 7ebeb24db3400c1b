#include "src/prover/direct.h"

#include <algorithm>

#include "src/prover/direct_judge.h"

namespace noclobber {

namespace {
/// Steps that run under conditions: not asked about yet.
bool has_branches(const Trace& trace) {
  return !trace.guards.empty() || std::any_of(trace.steps.begin(), trace.steps.end(),
                                              [](const TraceStep& s) { return !s.guards.empty(); });
}

/// What a step runs is part of what it is: two steps are one function only where the same checks show their
/// bodies alike.
Trace with_bodies_in_keys(Trace trace) {
  for (TraceStep& step : trace.steps) {
    for (const std::string& body : step.bodies) step.key += "@" + std::to_string(body.size()) + ":" + body;
    step.bodies.clear();
  }
  return trace;
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

DirectAnswer decide_directly(const Space& space, const Trace* given_before, const Trace& given_after,
                             const Boundary& boundary, const std::vector<Obligation>& obligations,
                             Questions& questions) {
  const Trace after = with_bodies_in_keys(given_after);
  const Trace first = given_before != nullptr ? with_bodies_in_keys(*given_before) : Trace{};
  const Trace* before = given_before != nullptr ? &first : nullptr;
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
