#include "src/certify/certify.h"
#include "checker/check.h"
#include "checker/text/read.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/certify/certificate_text.h"
#include "src/certify/difference.h"
#include "src/certify/lemmas.h"
#include "src/certify/nonnegative.h"
#include "src/values/obligation.h"

namespace noclobber {

namespace {
constexpr int kRounds = 3;  // a derivation may settle earlier questions, so that others arise

/// The answer of nc-check to the text.
checker::Answer answered(const std::string& text) {
  Space space;
  return checker::check(text, space);
}
Certified decided(const CertificateText& text) { return {text.whole, answered(text.whole)}; }
bool stands(const checker::Answer& answer) { return answer.said == checker::Answer::Said::proved; }
bool stands(const Certified& out) { return stands(out.answer); }
/// Replaces the evidence of the text by exactly the derivations that a check in `space` used. A space that
/// searches adds what it found; a derivation that a later one makes needless is dropped.
void put_used(Space& space, CertificateText& text) {
  std::vector<Derivation> used;
  for (std::size_t k : space.used()) used.push_back(space.derivations()[k]);
  text.put(space, checker::read(space, text.whole, false), used);
}

void replay(Space space, CertificateText& text) {
  if (checker::check(text.whole, space).said != checker::Answer::Said::unreadable) put_used(space, text);
}

/// Drops claims of a solver that a rule shows, or that are no equalities, which only a rule may show.
void drop_needless_claims(Space& space, Certificate& content) {
  for (Check& check : content.checks) {
    if (check.by_solver.empty()) continue;
    Terms terms(space);
    Rules rules(space, terms, check.before ? &*check.before : nullptr, check.after, check.boundary);
    std::erase_if(check.by_solver,
                  [&](const Obligation& o) { return !is_equality(o.kind) || rules.shown(o); });
  }
}

/// `text` completed with the evidence that search finds. `first`: the text as it is, with its answer.
Certified settled(CertificateText& text, Certified first) {
  for (int round = 0; round < kRounds && !stands(first); ++round) {
    replay(searching_space(), text);
    if (text.whole == first.text) break;  // nothing was found
    first = decided(text);
    if (stands(first)) break;
    replay(Space(), text);
    if (round + 1 < kRounds && text.whole != first.text) first = decided(text);
  }
  return first;
}

/// Drops lemmas that nothing rests on, from `text` as well. True if there are any.
bool drop_surplus(Certificate& content, const std::vector<std::vector<bool>>& used, CertificateText& text) {
  bool out = false;
  for (std::size_t k = 0; k < used.size(); ++k) {
    if (std::ranges::find(used[k], false) == used[k].end()) continue;
    auto kept = used[k].begin();
    std::erase_if(content.checks[k].lemmas, [&](const checker::Lemma&) { return !*kept++; });
    out = true;
  }
  if (out) text.put_lemmas(content);
  return out;
}

/// `text` of `content`, whose answer is `out`, completed to the lemmas and the evidence that it needs.
Certified completed(CertificateText text, Certificate& content, Certified out) {
  if (stands(out)) return out;
  if (out.answer.why == checker::kSurplus) {
    drop_surplus(content, out.answer.used, text);
    return settled(text, decided(text));
  }
  Space searching = searching_space();  // the evidence found decides which lemmas are needed
  const checker::Answer found = checker::check(out.text, searching);
  const bool some = !searching.used().empty();
  if (drop_surplus(content, found.used, text)) {
    if (some) replay(searching_space(), text);
  } else if (some) {
    put_used(searching, text);
  } else {
    return out;
  }
  return settled(text, decided(text));
}

}  // namespace

Certified certified(Space& space, Certificate& content) {
  for (std::size_t k : space.used()) content.evidence.push_back(space.derivations()[k]);
  drop_needless_claims(space, content);
  for (Check& check : content.checks)
    if (check.lemmas.empty()) check.lemmas = find_lemmas(space, check, false);
  CertificateText text = certificate_parts(space, content, true);  // lemmas and claims, no evidence
  checker::Answer answer = answered(text.whole);
  if (stands(answer)) return {std::move(text.whole), std::move(answer)};
  Certified first{text.whole, std::move(answer)};
  // If not even the lemmas can be shown, evidence is seldom what is missing, so more lemmas are tried first.
  const bool later = first.answer.why.starts_with(checker::kNotShown);
  if (!later) first = completed(text, content, std::move(first));
  if (stands(first)) return first;
  std::vector<std::vector<checker::Lemma>> few;
  for (Check& check : content.checks)
    few.push_back(std::exchange(check.lemmas, find_lemmas(space, check, true)));
  CertificateText more = text;
  more.put_lemmas(content);
  Certified second = completed(more, content, decided(more));
  if (stands(second)) return second;
  if (!later) return first;
  for (std::size_t k = 0; k < few.size(); ++k) content.checks[k].lemmas = std::move(few[k]);
  return completed(text, content, std::move(first));
}

std::string refuted(Space& space, Certificate content, const std::vector<std::uint32_t>& order) {
  content.refutation = find_difference(space, content, order);
  if (!content.refutation)  // otherwise Traces that lack what a run showed could be proved
    content.checks.back().after.unknown.emplace_back("not-replayed", "what a run shows");
  return certificate_text(space, content);
}

}  // namespace noclobber
