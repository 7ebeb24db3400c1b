#include "src/prover/certify.h"

#include "src/prover/certificate_text.h"
#include "src/prover/difference.h"
#include "src/prover/nonnegative.h"

namespace noclobber {

namespace {
constexpr int kRounds = 3;  // a later derivation may answer an earlier question: then others are asked

/// Is the text proved by what stands in it?
bool stands(const std::string& text) {
  Space space;
  std::string fault;
  const auto again = read_certificate(space, text, false, fault);
  return again && judge(space, *again).verdict == Judgement::Verdict::proved;
}
/// Leaves out what was claimed, though a rule shows it, or though only a rule could.
void drop_needless_claims(Space& space, Check& check) {
  if (check.by_solver.empty()) return;
  Terms terms(space);
  Rules rules(space, terms, check.before ? &*check.before : nullptr, check.after, check.boundary);
  std::erase_if(check.by_solver, [&](const Obligation& o) { return !is_equality(o.kind) || rules.shown(o); });
}
}  // namespace

std::string certified(const Space& space, Certificate content) {
  std::string text = certificate_text(space, content);
  for (int round = 0; round < kRounds; ++round) {
    Space searching = searching_space();
    std::string fault;
    auto again = read_certificate(searching, text, false, fault);
    if (!again) return text;
    for (Check& check : again->checks) drop_needless_claims(searching, check);
    judge(searching, *again);
    again->evidence.clear();
    for (std::size_t k : searching.used()) again->evidence.push_back(searching.derivations()[k]);
    text = certificate_text(searching, *again);
    if (stands(text)) break;
  }
  return text;
}

std::string refuted(const Space& space, Certificate content, const std::vector<std::uint32_t>& order) {
  content.refutation = find_difference(certificate_text(space, content), order);
  return certificate_text(space, content);
}

}  // namespace noclobber
