#include "src/second/direct.h"

#include <algorithm>

#include "src/second/direct_judge.h"

namespace noclobber {

namespace {
/// The bodies that a step runs become part of its key: two steps are one function only if the same checks
/// prove their bodies equal.
Trace with_bodies_in_keys(Trace trace) {
  for (TraceStep& step : trace.steps) {
    for (const std::string& body : step.bodies)
      step.key = *step.key + "@" + std::to_string(body.size()) + ":" + body;
    step.bodies.clear();
  }
  return trace;
}

bool compares_contents(const Obligation& o) {
  return o.kind == Obligation::Kind::value || o.kind == Obligation::Kind::exit;
}

void take_answer(DirectAnswer& into, DirectAnswer&& more) {
  into.shown.merge(more.shown);
  into.by_solver += more.by_solver;
  into.models.insert(into.models.end(), more.models.begin(), more.models.end());
}

std::vector<Obligation> not_shown(const std::vector<Obligation>& asked, const DirectAnswer& answer) {
  std::vector<Obligation> out;
  for (const Obligation& o : asked)
    if (!answer.shown.contains(o)) out.push_back(o);
  return out;
}

/// All comparisons of contents under one choice for what was never written; an empty answer if one stays
/// open.
DirectAnswer with_what_is_left(const Space& space, const Trace& before, const Trace& after,
                               const Boundary& boundary, Questions& questions) {
  std::vector<Obligation> all = enumerate(&before, after, boundary);
  std::erase_if(all, [](const Obligation& o) {
    return !compares_contents(o) && o.kind != Obligation::Kind::modelled;  // always open
  });
  DirectAnswer out = decide_directly(space, &before, after, boundary, all, questions, Glances::known,
                                     Unwritten::left_by_after);
  return not_shown(all, out).empty() ? out : DirectAnswer{};
}
}  // namespace

DirectAnswer decide_directly(const Space& space, const Trace* before, const Trace& after,
                             const Boundary& boundary, const std::vector<Obligation>& obligations,
                             Questions& questions, Glances glances, Unwritten unwritten) {
  DirectAnswer out;
  const auto blocked = [](const Obligation& o) { return o.kind == Obligation::Kind::modelled; };
  if (std::any_of(obligations.begin(), obligations.end(), blocked)) return out;
  Formulas formulas(glances == Glances::known);
  DirectSizes sizes(space, formulas);
  DirectAsk ask(sizes, questions);
  DirectContents contents(sizes, ask, before, after, unwritten);
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
  DirectAnswer out = decide_directly(space, before, after, boundary, obligations, questions, Glances::none,
                                     Unwritten::symbols);
  std::vector<Obligation> open = not_shown(obligations, out);
  if (open.empty()) return out;
  take_answer(out, decide_directly(space, before, after, boundary, open, questions, Glances::known,
                                   Unwritten::symbols));
  open = not_shown(obligations, out);
  if (before != nullptr && std::any_of(open.begin(), open.end(), compares_contents))
    take_answer(out, with_what_is_left(space, *before, after, boundary, questions));
  return out;
}

}  // namespace noclobber
