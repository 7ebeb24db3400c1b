// Decides a certificate: evidence, lemmas, then all obligations of each check.
#include "checker/kernel/decide.h"

#include "checker/kernel/rules.h"

namespace noclobber::checker {
namespace {

void wrong(Answer& answer, bool is, const std::string& why) {
  if (is && answer.why.empty()) answer.why = why;
}

/// Symbols' values satisfy the facts, evidence is right, divisors are positive, bodies precede use. Lemma 9.
void prepare(Space& space, const Certificate& certificate, Answer& answer) {
  for (PolyId fact : space.facts())
    wrong(answer, space.value(fact, certificate.symbols).value_or(-1) < 0,
          "the symbols' values do not show a fact");
  for (std::size_t k = 0; answer.why.empty() && k < certificate.evidence.size(); ++k)
    wrong(answer, !space.derive(certificate.evidence[k]), "derivation " + std::to_string(k) + " is wrong");
  for (PolyId by : certificate.divisors)
    wrong(answer, !space.nonnegative(space.beyond(by, 0)), "a divisor is not shown to be positive");
  std::set<Text> bodies;
  bool several = certificate.checks.size() > 1, bits = false, inner = false;  // bits seen; identity in a body
  for (const Check& check : certificate.checks) {
    inner = inner || (&check != &certificate.checks.back() &&
                      std::ranges::count(check.lemmas, Lemma::Kind::identity, &Lemma::kind) > 0);
    for (const Trace* trace : {check.before ? &*check.before : nullptr, &check.after})
      bits = bits || (several && trace != nullptr && std::ranges::count(seen_as_bits(*trace), true) > 0);
    for (const Trace* trace : {check.before ? &*check.before : nullptr, &check.after})
      for (std::size_t k = 0; trace != nullptr && k < trace->steps.size(); ++k)
        for (const Text& body : trace->steps[k].form->bodies)
          space.work(8), wrong(answer, !bodies.contains(body), "no check shows body " + std::string(body));
    if (check.before)
      wrong(answer, !bodies.insert(check.key).second, "two checks are called " + std::string(check.key));
  }
  wrong(answer, bits && inner, "an identity of a body beside bits that are looked at");
}

/// Every obligation must be shown, or be an equality that a solver claims; other claims are surplus. In a
/// space that searches, a lemma that is not shown counts as one that nothing rests on.
void decide_one(Space& space, const Check& check, Answer& answer) {
  Rules rules(space, check);
  const auto shown = [&](auto&& show, std::string& why) {
    try {
      show();
      return true;
    } catch (const Open& open) {
      why = open.why;
      return false;
    }
  };
  std::string why;
  for (const Lemma& lemma : check.lemmas)
    if (!shown([&] { rules.equality().learn(lemma, answer.assumptions); }, why))
      wrong(answer, !space.searches(), kNotShown + why);
  std::size_t open = 0, claimed = 0;
  for (const Obligation& o :
       enumerate(check.before ? &*check.before : nullptr, check.after, check.boundary)) {
    ++answer.obligations;
    if (check.claimed.contains(o) && rules.may_be_claimed(o)) ++claimed;
    else ++(shown([&] { rules.show(o); }, why) ? answer.by_rule : open);
  }
  answer.by_solver += claimed;
  for (const Lemma& lemma : check.lemmas) answer.by_identity += lemma.kind == Lemma::Kind::identity;
  answer.used.push_back(rules.equality().used());
  wrong(answer, open > 0, std::to_string(open) + " obligations are open");
  wrong(answer, claimed != check.claimed.size(), "surplus claims of a solver");
  wrong(answer, std::ranges::find(answer.used.back(), false) != answer.used.back().end(), kSurplus);
  wrong(answer, !shown([&] { rules.equality().chosen_once(); }, why), why);
}

}  // namespace

void decide(Space& space, Certificate& certificate) {
  Answer& answer = certificate.answer;
  prepare(space, certificate, answer);
  for (const Check& one : certificate.checks) decide_one(space, one, answer);
  answer.derivations = space.used().size();
  wrong(answer, space.used().size() != space.derivations().size(), kSurplus);
  if (answer.why.empty()) answer.said = Answer::Said::proved;
}

}  // namespace noclobber::checker
