#include "src/prover/direct.h"

#include <algorithm>

#include "src/prover/direct_contents.h"
#include "src/prover/direct_judge.h"

namespace noclobber {

DirectAnswer decide_directly(const Space& space, const Trace* before, const Trace& after,
                             const Boundary& boundary, const std::vector<Obligation>& obligations,
                             Questions& questions) {
  DirectAnswer out;
  const auto blocked = [](const Obligation& o) { return o.kind == Obligation::Kind::modelled; };
  if (std::any_of(obligations.begin(), obligations.end(), blocked)) return out;
  Formulas formulas;
  DirectSizes sizes(space, formulas);
  DirectAsk ask(sizes, questions);
  DirectContents contents(sizes, ask, before, after);
  DirectJudge judge(sizes, ask, contents, before, after, boundary);
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

}  // namespace noclobber
