#include "src/second/direct_ask.h"

#include <set>

#include "src/second/direct_print.h"

namespace noclobber {

namespace {
constexpr std::uint64_t kOverlapEffort = 1'000'000, kEqualityEffort = 5'000'000;  // rlimit of Z3
constexpr std::size_t kMostModels = 50;
}  // namespace

bool DirectAsk::never(FormulaId truth, About about) {
  if (truth == Formulas::kBad) return false;
  if (truth == sizes_.formulas().truth(false)) return true;
  const auto [at, is_new] = known_.emplace(truth, false);
  if (!is_new) return at->second;
  const bool out = asked_never(truth, about);
  return known_[truth] = out;
}

bool DirectAsk::asked_never(FormulaId truth, About about) {
  DirectScript script(sizes_.formulas());
  for (FormulaId fact : sizes_.facts()) script.require(fact);
  script.require(truth);
  ++asked_;
  const SolverAnswer answer =
      questions_.ask(script.text(), about == About::overlap ? kOverlapEffort : kEqualityEffort);
  if (answer.kind == SolverAnswer::Kind::sat && models_.size() < kMostModels) {
    std::map<std::string, std::int64_t> model;
    for (const auto& [name, variable] : script.variables())
      if (const auto at = answer.model.find(name); at != answer.model.end() && name[0] == 's')
        model[variable] = at->second;
    if (!model.empty()) models_.push_back(std::move(model));
  }
  return answer.kind == SolverAnswer::Kind::unsat;
}

bool DirectAsk::equal(FormulaId a, FormulaId b) {
  Formulas& f = sizes_.formulas();
  return never(f.inverted(f.same(a, b)), About::equality);
}

}  // namespace noclobber
